// check and scan: read every entry in order.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/key_range.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/inputs/workers.h"
#include "tools/ashlar/print/decoded_value.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/progress.h"

namespace ashlar::tool {
namespace {

enum class EntryForm : uint8_t { kNone, kText, kCanonical, kJson, kJsonLines };

EntryForm ChosenEntryForm(bool print, const Report& report) {
  if (!print) return EntryForm::kNone;
  switch (report.form()) {
    case ReportForm::kJson:
      return EntryForm::kJson;
    case ReportForm::kJsonLines:
      return EntryForm::kJsonLines;
    case ReportForm::kText:
      break;
  }
  return FLAGS_output_format == "canonical" ? EntryForm::kCanonical
                                            : EntryForm::kText;
}

// What is printed of an entry. The slices are valid until the iterator moves.
struct ShownEntry {
  Slice user_key;
  SequenceNumber sequence;
  ValueType type;
  Slice value;
};

ShownEntry EntryAt(const Iterator& it) {
  return {it.user_key(), it.sequence(), it.type(), it.value()};
}

// Writes text for people, if --text is given. Programs use the hexadecimal
// members.
void WriteText(std::string_view name, const Slice& bytes, JsonWriter* json) {
  if (FLAGS_text && IsUtf8(bytes.ToStringView())) {
    json->Member(name, bytes.ToStringView());
  }
}

void PrintJsonEntry(const ShownEntry& entry, JsonWriter* json) {
  json->BeginObject();
  json->HexMember("key", entry.user_key);
  WriteText("key_text", entry.user_key, json);
  json->NumberMember("seq", entry.sequence);
  json->Member("type", TypeWord(entry.type));
  json->HexMember("value", entry.value);
  WriteText("value_text", entry.value, json);
  json->EndObject();
}

class Scanner {
 public:
  explicit Scanner(bool print)
      : print_(print), style_(ChosenByteStyle()), left_(FLAGS_read_num) {}

  // Reads the flags. Returns what is wrong with them, or an empty string.
  std::string Prepare(const CommandLine& line) { return range_.Parse(line); }

  void Scan(const std::string& path, Report* report) {
    const std::unique_ptr<TableReader> reader =
        OpenTable(path, range_.IsAll(), report);
    if (reader == nullptr) return;
    PrintRange(report);
    form_ = ChosenEntryForm(print_, *report);
    stripped_timestamp_ =
        reader->properties().user_defined_timestamps_persisted == 0
            ? reader->comparator()->timestamp_size()
            : 0;
    BeginEntries(report);
    Progress progress(path);
    const Walk walk = print_ || !range_.IsAll() || FLAGS_read_num != 0
                          ? WalkOneByOne(*reader, &progress, report)
                          : CheckAll(*reader, &progress);
    if (walk.complete && FLAGS_range_dels) PrintRangeDeletions(*reader, report);
    EndEntries(walk.entries, report);
    report->AddEntries(walk.entries);
    if (!walk.status.ok()) {
      report->AddFault(walk.status);
    } else if (walk.complete && range_.IsAll()) {
      CheckCount(walk.entries, *reader, report);
    }
  }

 private:
  struct Walk {
    uint64_t entries = 0;
    bool complete = false;  // reached the end of the range
    Status status;
  };

  // Prints the range once, before the first table.
  void PrintRange(Report* report) {
    if (range_printed_ || !report->headings()) return;
    range_printed_ = true;
    report->out()->Append("from [" + ToHex(range_.start(), HexCase::kUpper) +
                          "] to [" + ToHex(range_.limit(), HexCase::kUpper) +
                          "]\n");
  }

  // In JSON lines, there is a line about the file before its entries and
  // another after them.
  void BeginEntries(Report* report) {
    if (form_ == EntryForm::kJson) {
      report->json()->Key("entries");
      report->json()->BeginArray();
    } else if (form_ == EntryForm::kJsonLines) {
      report->json()->EndObject();
      report->json()->EndLine();
    }
  }

  void EndEntries(uint64_t entries, Report* report) {
    if (form_ == EntryForm::kJson) {
      report->json()->EndArray();
    } else if (form_ == EntryForm::kJsonLines) {
      report->json()->BeginObject();
      report->json()->Member("path", report->path());
    }
    if (!report->text()) report->json()->NumberMember("num_read", entries);
  }

  // Checks all entries, if none are printed.
  Walk CheckAll(const TableReader& reader, Progress* progress) {
    Walk walk;
    walk.status = reader.CheckEntries(
        ReadOptionsFromFlags(), workers_.pool(),
        [progress](uint64_t done, uint64_t total) {
          return progress->Update(done, total);
        },
        &walk.entries);
    const uint64_t bytes = reader.file().Size();
    walk.complete = walk.status.ok() && progress->Update(bytes, bytes);
    // An interrupt is not a fault.
    if (walk.status.IsAborted()) walk.status = Status();
    return walk;
  }

  Walk WalkOneByOne(const TableReader& reader, Progress* progress,
                    Report* report) {
    ReadOptions options = ReadOptionsFromFlags();
    options.ignore_range_deletions = true;
    Iterator iterator = reader.NewIterator(options);
    Walk walk = WalkRange(reader, &iterator, progress, report);
    walk.status = iterator.status();
    return walk;
  }

  Walk WalkRange(const TableReader& reader, Iterator* iterator,
                 Progress* progress, Report* report) {
    constexpr uint64_t kEntriesBetweenLooks = 256;
    const Comparator& comparator = *reader.comparator();
    const uint64_t bytes = reader.file().Size();
    const uint64_t count = reader.properties().num_entries;
    const bool limited = FLAGS_read_num != 0;
    Walk walk;
    if (limited && left_ == 0) return walk;
    for (range_.SeekToStart(comparator, iterator); iterator->Valid();
         iterator->Next()) {
      if (range_.EndsBefore(iterator->user_key(), comparator)) break;
      if (walk.entries % kEntriesBetweenLooks == 0 &&
          (!progress->UpdateByEntries(walk.entries, count, bytes) ||
           report->MustStop())) {
        return walk;
      }
      ++walk.entries;
      Print(EntryAt(*iterator), report);
      if (limited && --left_ == 0) return walk;
    }
    walk.complete = progress->Update(bytes, bytes);
    return walk;
  }

  // Prints the range deletions that overlap with the range.
  void PrintRangeDeletions(const TableReader& reader, Report* report) {
    for (const RangeDeletion& deletion : reader.RangeDeletions()) {
      if (!range_.Meets(deletion.begin, deletion.end, *reader.comparator())) {
        continue;
      }
      Print({deletion.begin, deletion.sequence, ValueType::kTypeRangeDeletion,
             deletion.end},
            report);
    }
  }

  void Print(const ShownEntry& entry, Report* report) {
    switch (form_) {
      case EntryForm::kNone:
        return;
      case EntryForm::kText:
        PrintText(entry, report);
        return;
      case EntryForm::kCanonical:
        // Prints the key as it is stored: without the timestamp that was added
        // because the table has none.
        PrintCanonicalEntry(
            WithoutTimestamp(entry.user_key, stripped_timestamp_),
            entry.sequence, entry.type, entry.value, report->out());
        return;
      case EntryForm::kJson:
        PrintJsonEntry(entry, report->json());
        return;
      case EntryForm::kJsonLines:
        PrintJsonEntry(entry, report->json());
        report->json()->EndLine();
        return;
    }
  }

  void PrintText(const ShownEntry& entry, Report* report) {
    if (entry.type == ValueType::kTypeBlobIndex && FLAGS_decode_blob_index) {
      PrintBlobIndex(entry, report);
      return;
    }
    if (entry.type == ValueType::kTypeWideColumnEntity &&
        PrintWideColumns(entry, report->out())) {
      return;
    }
    PrintEntry(entry.user_key, entry.sequence, entry.type, entry.value, style_,
               report->out());
  }

  void PrintBlobIndex(const ShownEntry& entry, Report* report) {
    const std::optional<std::string> blob =
        DescribeBlobIndex(entry.value, style_);
    if (blob) {
      PrintDecodedEntry(entry.user_key, entry.sequence, entry.type, *blob,
                        style_, report->out());
      return;
    }
    report->AddFault(
        Status::Corruption("blob index of " +
                           DescribeInternalKey(MakeInternalKey(
                               entry.user_key, entry.sequence, entry.type)) +
                           " cannot be decoded"));
  }

  // Returns false if they cannot be decoded. The stored bytes are then printed.
  bool PrintWideColumns(const ShownEntry& entry, Output* out) {
    const std::optional<std::string> columns =
        DescribeWideColumns(entry.value, style_);
    if (!columns) return false;
    PrintDecodedEntry(entry.user_key, entry.sequence, entry.type, *columns,
                      style_, out);
    return true;
  }

  static void CheckCount(uint64_t points, const TableReader& reader,
                         Report* report) {
    const TableProperties& properties = reader.properties();
    // Some files do not have this property, such as those of LevelDB.
    if (!properties.stored.contains("rocksdb.num.entries")) return;
    const auto check = [report](uint64_t expected, uint64_t found,
                                const char* what) {
      if (found == expected) return;
      report->AddFault(Status::Corruption(
          "properties say " + std::to_string(expected) + what +
          ", but there are " + std::to_string(found)));
    };
    const uint64_t ranges = properties.num_range_deletions;
    check(properties.num_entries - ranges, points,
          " entries other than range deletions");
    check(ranges, reader.RangeDeletions().size(), " range deletions");
  }

  const bool print_;
  const ByteStyle style_;
  KeyRange range_;
  uint64_t left_;
  Workers workers_;
  bool range_printed_ = false;
  EntryForm form_ = EntryForm::kNone;
  size_t stripped_timestamp_ = 0;  // its size, in the current table
};

int Run(const CommandLine& line, bool print) {
  Scanner scanner(print);
  std::string error = scanner.Prepare(line);
  if (error.empty()) error = CheckComparatorFlag();
  if (error.empty() && FLAGS_text && ChosenForm() == ReportForm::kText) {
    error = "--text goes with --json or --jsonl";
  }
  if (!error.empty()) return UsageError(error);
  return RunOverFiles(line, print ? "scan" : "check",
                      [&scanner](const std::string& path, Report* report) {
                        scanner.Scan(path, report);
                      });
}

}  // namespace

int RunCheck(const CommandLine& line) { return Run(line, false); }
int RunScan(const CommandLine& line) { return Run(line, true); }

}  // namespace ashlar::tool
