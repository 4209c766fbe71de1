#include "tools/ashlar/command_table.h"

namespace ashlar::tool {
namespace {

constexpr std::string_view kFiles = "<file-or-directory>...";

constexpr std::string_view kBuildDetails =
    "Rows come from the files named, in order, or from standard input. One "
    "row a line; what a row is depends on --input_format:\n"
    "tsv: key TAB value, where \\t, \\n, \\r, \\\\ and \\xHH stand for bytes.\n"
    "csv: RFC 4180; the first two columns, or --key_column and "
    "--value_column of a header line.\n"
    "hex: hex(user_key) SPACE sequence SPACE type SPACE hex(value), as "
    "'scan --output_format=canonical' prints it.\n"
    "jsonl: {\"key\":\"<hex>\"} or {\"key_text\":\"...\"}, value or "
    "value_text, and perhaps seq and type; whether there is a seq is decided "
    "by the first row.\n"
    "tsv, csv and jsonl without seq make a file for IngestExternalFile. "
    "Nothing is left at --out when anything fails.";

constexpr Command kCommands[] = {
    {"check", kCheck, kFiles,
     "read every entry; check order, count and checksums (default)",
     "Prints nothing for an entry. The count is compared with the properties "
     "only when the whole file is read.",
     RunCheck},
    {"scan", kScan, kFiles, "as check, and print each entry",
     "One line an entry: '<key>' seq:<n>, type:<n> => <value>, where type is "
     "the number in the file: 0 deletion, 1 value, 2 merge operand, 7 single "
     "deletion, 17 blob index, 22 wide-column entity.",
     RunScan},
    {"verify", kVerify, kFiles, "read every block of every kind; list faults",
     "Checks checksums, that blocks decompress and parse, and that they lie "
     "in the file without overlap.",
     RunVerify},
    {"identify", kIdentify, kFiles, "say which inputs are tables", "",
     RunIdentify},
    {"properties", kProperties, kFiles, "print the table properties",
     "Reads no data block.", RunProperties},
    {"layout", kLayout, kFiles, "one line a block, in file order",
     "A block takes 5 bytes more than its size: its trailer, counted in the "
     "totals.",
     RunLayout},
    {"get", kGet, "--key=<key>... <file-or-directory>...",
     "look keys up through filter, index and data block",
     "Prints what decides the key's state: its newest entry, or its merge "
     "operands and what they stand on. A key without any entry is named on "
     "standard error and makes the exit code 1.",
     RunGet},
    {"build", kBuild, "--out=<path> [<input>...]", "make a table from text",
     kBuildDetails, RunBuild},
};

}  // namespace

std::span<const Command> Commands() { return kCommands; }

const Command* FindCommand(std::string_view name) {
  for (const Command& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

}  // namespace ashlar::tool
