#include "tools/ashlar/cli/command_table.h"

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
    "With --nosorted rows come in any order. What --memory does not hold is "
    "sorted in files without names in --tmpdir, which needs room for all rows, "
    "and for as many again where they are more than some hundred times "
    "--memory. --on_duplicate=first or last goes by the order of the input.\n"
    "With --target_file_size the manifest has path, smallest and largest key "
    "in hexadecimal, entries, bytes and CRC32C of each file; largest_is_"
    "exclusive where that is the end of a range deletion, which is cut where "
    "files meet. Files of hex and jsonl then begin when all rows are read: "
    "rows are kept as with --nosorted. With --overwrite new files have numbers "
    "after the old ones, which are removed when the new manifest is in place; "
    "files that the old manifest does not list are kept. What a run that was "
    "killed did not finish, the next one over the same --out does.\n"
    "tsv, csv and jsonl without seq make a file for IngestExternalFile. "
    "Nothing is left at --out when anything fails. A run that is killed leaves "
    "<out>.tmp.* or <out without .sst>.tmp.*: the next one over the same --out "
    "names them, and with --clean removes them.";

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
     "Checks checksums, that blocks decompress and parse, that they are in the "
     "file without overlap, and that index, restart points, hash indexes and "
     "filters lead to every key. If it finds no fault, every key can be read, "
     "in any way. --filter_keys=first asks filters about the first 8 keys of "
     "each data block only, and says so.",
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
     "Looks up all keys of --key and --keys_file, many at a time; with --from, "
     "--to or --prefix those of them that lie in the range, and without any "
     "keys all that the table has there. "
     "Prints what decides the key's state: its newest entry, or its merge "
     "operands and what they stand on. A key without any entry is named on "
     "standard error and makes the exit code 1.",
     RunGet},
    {"raw", kRaw, kFiles, "write all of the table into a text file",
     "Footer, metaindex, properties, index, dictionary, range deletions and "
     "each data block with all its entries, to <input without .sst>_dump.txt "
     "or --out. A block that cannot be read is named and left out.",
     RunRaw},
    {"recompress", kRecompress, kFiles,
     "what the table would take in other codecs",
     "Builds the table anew for each codec and level, into a scratch file that "
     "has no name, and reads it back; the input is only read. Sizes are those "
     "of data blocks, Cx size with 5 bytes of trailer each. First, as "
     "Baseline, "
     "the file as it is stored; with --sample that, and all else, of some of "
     "its data blocks.",
     RunRecompress},
    {"stats", kStats, kFiles, "sizes and distributions",
     "Bytes by kind of block, entries by type, percentiles of the sizes of "
     "keys, "
     "values and blocks, and the filter: bits a key, and how often it lets "
     "absent keys pass, by its kind and as measured with --filter_probes. It "
     "must know every key. With --prefix_separator or --prefix_length the ten "
     "prefixes with "
     "the most "
     "bytes.",
     RunStats},
    {"report", kReport, kFiles, "a page about the table, for the browser",
     "Writes one HTML file, <input without .sst>_report.html or --out, that "
     "loads nothing: verdict and faults, bytes by kind of block, a map of the "
     "blocks, where the keys lie, distributions of sizes, the filter, and what "
     "other codecs, levels and dictionaries would make of sampled blocks. "
     "Compares the checksums of all blocks; decodes --sample of the data "
     "blocks. The filter must know every key of those.",
     RunReport},
    {"diff", kDiff, "<file> <file>", "what two tables do not share",
     "Entries by key, sequence number and type, then range deletions, then "
     "properties but for those that say who made the file and when. Exit code "
     "1 where anything differs. In a damaged table only what stands before the "
     "damage is compared.",
     RunDiff},
    {"space", kSpace, kFiles, "bytes by range of keys, or by prefix",
     "By default ranges of about as many bytes each, cut where data blocks "
     "end, as the index alone tells: no data block is read. A range has the "
     "keys behind those of the range before, up to the one that is named. "
     "Bytes are those of data blocks as stored, trailers included; with "
     "--from, --to or --prefix of all blocks that may have such keys.\n"
     "With --prefix_length, --prefix_separator or both, entries are read, and "
     "counted by prefix; what a block takes is shared out by the bytes of "
     "keys, 8 more each, and values. Above 65536 prefixes light ones are "
     "dropped into 'others', where --top puts the rest too.\n"
     "Behind several files the same of all of them, in which a file counts by "
     "1024 ranges at most.",
     RunSpace},
    {"overlap", kOverlap, kFiles, "which tables have keys of the same ranges",
     "Of each table the smallest and the largest key, range deletions among "
     "them, which are read at its two ends, and not what lies between; then "
     "groups of tables that overlap, tables that overlap none, and --top of "
     "the pairs. Files are taken for a batch that is to be ingested by one "
     "call of RocksDB's IngestExternalFile: without overlaps it takes them in "
     "any order. With overlaps the file that is named last wins where several "
     "have a key, and ingest_behind, allow_global_seqno=false, keys with "
     "timestamps and old releases refuse them. Files of one call have one "
     "comparator, and none is empty.",
     RunOverlap},
    {"salvage", kSalvage, "--out=<path> <file>",
     "save what can be read of a damaged table",
     "Copies every entry of every sound block into a new table, as rewrite "
     "does, and lists the ranges of keys that are lost. The new table is not "
     "for ingestion, whatever the old one was. Exit code 1 where anything is "
     "damaged or left out, also when all else is saved.",
     RunSalvage},
    {"rewrite", kRewrite, "--out=<path> <file>",
     "the same entries in a new file of another form",
     "Format version, block size, restart intervals, prefix extractor, times "
     "and the users' properties are kept where no flag says otherwise; codec, "
     "checksum, filter and index are those of the flags and their defaults. "
     "The block size is guessed from the blocks.",
     RunRewrite},
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
