#include "tools/ashlar/cli/help.h"

#include <algorithm>
#include <string_view>

#include "ashlar/table/options.h"
#include "ashlar/util/compression.h"
#include "ashlar/util/version.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/print_json.h"

namespace ashlar::tool {
namespace {

constexpr size_t kWidth = 80;
constexpr size_t kTextColumn = 28;

constexpr FlagGroupTitle kGroups[] = {
    {FlagGroup::kInput, "Input"},
    {FlagGroup::kRange, "Keys"},
    {FlagGroup::kOutput, "Output"},
    {FlagGroup::kVerification, "Verification"},
    {FlagGroup::kRecompression, "Recompression"},
    {FlagGroup::kCompaction, "Compaction"},
    {FlagGroup::kSimulation, "Simulation"},
    {FlagGroup::kNewFiles, "New files"},
    {FlagGroup::kOther, "Other"},
};

constexpr ExitCodeMeaning kExitCodes[] = {
    {"0", "every input was read and every check passed"},
    {"1", "a fault in the data, not a table, or a key that is not there"},
    {"2", "the work could not be done: usage, I/O, memory, not supported"},
    {"130", "interrupted, by SIGINT, SIGTERM or SIGHUP"},
};

constexpr std::string_view kExamples[] = {
    "ashlar scan --prefix=user: 000123.sst",
    "ashlar verify --json /path/to/db",
    "ashlar build --out=new.sst --compression_type=zstd rows.tsv",
};

// Appends words to the last line of *text, breaks lines, and ends the last one.
void AppendWrapped(std::string_view words, size_t indent, std::string* text) {
  size_t column = text->size() - (text->rfind('\n') + 1);
  if (column > indent) {
    if (text->back() == ' ') text->pop_back();
    *text += '\n';
    column = 0;
  }
  text->append(indent - column, ' ');
  column = indent;
  while (!words.empty()) {
    const size_t space = std::min(words.find(' '), words.size());
    const bool first = column == indent;
    if (!first && column + 1 + space > kWidth) {
      *text += '\n';
      text->append(indent, ' ');
      column = indent;
    } else if (!first) {
      *text += ' ';
      ++column;
    }
    text->append(words.substr(0, space));
    column += space;
    words.remove_prefix(std::min(space + 1, words.size()));
  }
  *text += '\n';
}

void AppendFlag(const FlagRow& row, std::string* text) {
  *text += "  --" + std::string(row.name);
  const bool choices = row.value.find('|') != std::string_view::npos;
  if (choices) {
    *text += "=" + std::string(row.value);
  } else if (!row.value.empty()) {
    *text += "=<" + std::string(row.value) + ">";
  }
  *text += ' ';
  AppendWrapped(FlagHelp(row), kTextColumn, text);
}

void AppendFlags(uint32_t commands, std::string* text) {
  for (const auto& [group, title] : kGroups) {
    bool any = false;
    for (const FlagRow& row : FlagRows()) {
      if (row.group != group || (row.commands & commands) == 0) continue;
      if (!any) *text += "\n" + std::string(title) + ":\n";
      any = true;
      AppendFlag(row, text);
    }
  }
}

void AppendParagraphs(std::string_view paragraphs, std::string* text) {
  while (!paragraphs.empty()) {
    const size_t end = std::min(paragraphs.find('\n'), paragraphs.size());
    *text += "\n";
    AppendWrapped(paragraphs.substr(0, end), 0, text);
    paragraphs.remove_prefix(std::min(end + 1, paragraphs.size()));
  }
}

std::string CompilerName() {
#ifdef __clang__
  return __VERSION__;
#else
  return std::string("GCC ") + __VERSION__;
#endif
}

std::string CodecList() {
  std::string list;
  for (const CompressionType type : SupportedCompressionTypes()) {
    if (!list.empty()) list += ", ";
    list += CompressionTypeName(type);
    const std::string version = CompressionLibraryVersion(type);
    if (!version.empty()) list += " " + version;
  }
  return list;
}

}  // namespace

std::span<const FlagGroupTitle> FlagGroups() { return kGroups; }
std::span<const ExitCodeMeaning> ExitCodeMeanings() { return kExitCodes; }
std::span<const std::string_view> Examples() { return kExamples; }

std::string_view QuantityHelp() {
  return "A value of <bytes> may have a unit: K, M, G and T, or KiB, MiB, GiB "
         "and TiB, are powers of 1024; KB, MB, GB and TB are powers of 1000. "
         "So --memory=128M is 134217728 bytes. A value of <n> may end in K, M, "
         "G or T, which are powers of 1000: --read_num=5M is 5000000.";
}

std::string FlagHelp(const FlagRow& row) {
  std::string help(row.help);
  std::string initial(row.default_text);
  std::erase(initial, '"');
  const bool plain = row.kind == FlagKind::own || initial.empty() ||
                     initial == "false" || initial == "0";
  if (!plain) help += " (default: " + initial + ")";
  return help;
}

std::string HelpText() {
  std::string text =
      "ashlar reads and writes RocksDB's block-based table files (SST).\n"
      "\n"
      "Usage:\n"
      "  ashlar <command> [flags] <file-or-directory>...\n"
      "  ashlar [flags] <file-or-directory>... [--command=<name>]\n"
      "\n"
      "Commands:\n";
  for (const Command& command : Commands()) {
    text += "  " + std::string(command.name) + " ";
    AppendWrapped(command.summary, 14, &text);
  }
  AppendFlags(kAll, &text);
  AppendParagraphs(QuantityHelp(), &text);
  text += "\nExit codes:\n";
  for (const auto& [code, meaning] : kExitCodes) {
    text += "  " + std::string(code) + std::string(5 - code.size(), ' ');
    text += std::string(meaning) + "\n";
  }
  text += "\nExamples:\n";
  for (const std::string_view example : kExamples) {
    text += "  " + std::string(example) + "\n";
  }
  text += "\nMore: 'ashlar help <command>', and README.md.\n";
  return text;
}

std::string CommandHelpText(const Command& command) {
  std::string text = "Usage: ashlar " + std::string(command.name) +
                     " [flags] " + std::string(command.arguments) + "\n\n";
  AppendWrapped(command.summary, 0, &text);
  AppendParagraphs(command.details, &text);
  AppendFlags(command.bit, &text);
  AppendParagraphs(QuantityHelp(), &text);
  return text;
}

std::string VersionText() {
  const std::string formats_read = "0 to " + std::to_string(kMaxFormatVersion);
  const LibraryFeatures features = FindLibraryFeatures();
  return "ashlar " + std::string(LibraryVersion()) +
         "\ncompiler: " + CompilerName() + "\ncodecs: " + CodecList() +
         "\nCRC32C: " + std::string(features.crc32c) +
         "\nXXH3: " + std::string(features.xxh3) +
         "\nio_uring: " + (features.io_uring ? "yes" : "no") +
         "\nformat versions written: " + std::to_string(kMinFormatVersion) +
         " to " + std::to_string(kMaxFormatVersion) +
         "\nformat versions read: " + formats_read + "\n";
}

void WriteVersionJson(Output* out) {
  JsonWriter json(out);
  json.BeginObject();
  json.Member("schema", "ashlar/1");
  json.Member("tool_version", LibraryVersion());
  json.Member("compiler", CompilerName());
  json.Key("codecs");
  json.BeginArray();
  for (const CompressionType type : SupportedCompressionTypes()) {
    json.String(CompressionTypeName(type));
  }
  json.EndArray();
  json.Key("codec_versions");
  json.BeginObject();
  for (const CompressionType type : SupportedCompressionTypes()) {
    const std::string version = CompressionLibraryVersion(type);
    if (!version.empty()) json.Member(CompressionTypeName(type), version);
  }
  json.EndObject();
  const LibraryFeatures features = FindLibraryFeatures();
  json.Member("crc32c", features.crc32c);
  json.Member("xxh3", features.xxh3);
  json.BoolMember("io_uring", features.io_uring);
  json.NumberMember("format_version_written_min", kMinFormatVersion);
  json.NumberMember("format_version_written_max", kMaxFormatVersion);
  json.NumberMember("format_version_read_max", kMaxFormatVersion);
  json.EndObject();
  json.EndLine();
}

}  // namespace ashlar::tool
