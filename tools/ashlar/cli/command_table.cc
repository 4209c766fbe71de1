#include "tools/ashlar/cli/command_table.h"

#include <vector>

#include "tools/ashlar/flags/suggestion.h"

namespace ashlar::tool {
namespace {

constexpr std::string_view kFiles = "<file-or-directory>...";

constexpr std::string_view kBuildDetails =
    "Rows come from the named files, in order, or from standard input. A "
    "folder stands for the files in it, by name, but for those that begin with "
    "'.' or '_'. What begins as gzip or zstd data is decompressed. With "
    "--merge_inputs, the rows of each input come in key order, and are merged. "
    "--from and --to keep a range of keys, so that several machines can each "
    "build a part of one input. Each "
    "line is one row. --input_format sets what a row looks like:\n"
    "tsv: key TAB value. \\t, \\n, \\r, \\\\ and \\xHH stand for bytes. "
    "Lines end in LF, or with --crlf also in CR LF. With --header, the first "
    "line of each input is skipped.\n"
    "csv: RFC 4180, in UTF-8. --header or --noheader says whether the first "
    "line of each input has the names of the columns; without either, a first "
    "line that may be names is an error. The columns are key and "
    "value, unless --key_column and --value_column name others.\n"
    "hex: hex(user_key) SPACE sequence SPACE type SPACE hex(value), as 'scan "
    "--output_format=canonical' prints it.\n"
    "jsonl: {\"key\":\"<hex>\"} or {\"key_text\":\"...\"}, with value or "
    "value_text, and optionally seq and type. The first row decides whether "
    "rows have a seq.\n"
    "arrow, parquet: files of Arrow IPC, of both forms (.arrow, .feather, "
    ".arrows), and of Parquet. Without --input_format they are recognised by "
    "what they begin with, or by their names. Columns have the names and types "
    "of the file, so that numbers, times and null need no text; unless it is a "
    "stream, only the columns that are needed are read. docs/arrow.md has the "
    "types. A stream of Arrow IPC can be standard input. Arrow's library reads "
    "the files: if ashlar was built without it, an error says what to "
    "install.\n"
    "--key_column=tenant,id:u64be makes keys of columns that sort as the "
    "columns "
    "do. A column is its name in the header, its number from 1, or in jsonl a "
    "member or a JSON pointer, such as /user/id. Words follow, each after a "
    "colon: text, bytes, hex or base64 for bytes; u32be, u64be, i32be, i64be, "
    "f32be or f64be for numbers; then terminated or length for bytes that are "
    "not the end of the key (default: terminated), and desc. --value_column "
    "takes such a column, too; several become one JSON object, and without the "
    "flag all columns that are not in the key do. docs/key_encodings.md has "
    "the "
    "bytes.\n"
    "Nothing is guessed: a row that lacks a column or has one too many, an "
    "escape or a quote that is wrong, text that is not UTF-8, or a first line "
    "of tsv that looks like names of columns ends the run with exit code 2. "
    "The message has input, line and column. With --max_bad_rows, malformed "
    "rows are skipped, counted and, with --bad_rows, written to a file. A byte "
    "order mark before the first row is skipped, with a warning.\n"
    "With --nosorted, rows may come in any order. Rows that --memory does not "
    "hold are sorted in unnamed files in --tmpdir. That folder needs room for "
    "all rows, and twice as much if they take more than some hundred times "
    "--memory. --threads sort while rows are read. --on_duplicate=first or "
    "last follows the order of the input.\n"
    "With --target_file_size, the manifest lists for each file the path, the "
    "smallest and the largest key in hexadecimal, the number of entries, the "
    "bytes and the CRC32C. largest_is_exclusive is set if the largest key is "
    "the end of a range deletion, which is cut where files meet. For hex and "
    "jsonl, all rows are read before the first file begins, and are kept as "
    "with --nosorted. With --overwrite, new files get numbers after those of "
    "the old files, which are removed when the new manifest is in place. "
    "Files that the old manifest does not list are kept. If a run is killed, "
    "the next run with the same --out finishes what it left.\n"
    "tsv, csv, and jsonl without seq make a file for IngestExternalFile. If "
    "anything fails, nothing is left at --out. A run that is killed leaves "
    "<out>.tmp.* or <out without .sst>.tmp.*. The next run with the same "
    "--out names these files, and removes them with --clean.";

constexpr std::string_view kCacheSimDetails =
    "Replays traces of a block cache through caches of the sizes of --sizes, "
    "each block with its real charge, and prints what they miss: in all, by "
    "what asked for the block, by the kind of the block, and by the level of "
    "its table. It also prints reuse distances: how many bytes of other blocks "
    "are used before a block is used again. An LRU cache of that size has the "
    "block then. With --out, it draws both as an SVG.\n"
    "A trace is what RocksDB writes after DB::StartBlockCacheTrace, or Ashlar "
    "after BlockCacheTracer::StartTrace; the first bytes tell which. It may be "
    "compressed with zstd. If it has one block in n, name n with "
    "--sampling_frequency; traces of Ashlar say so themselves. All sizes are "
    "those of the whole load.\n"
    "Blocks are charged what the trace says. A block of which it never says "
    "so, "
    "for example because it was never put into the cache, counts as "
    "--unknown_block_size. A read that was not to fill the cache fills none "
    "here. The caches also charge the memory of their own tables, as real ones "
    "do by default.\n"
    "A trace that is cut off counts up to there, with a warning. "
    "docs/cache_sim.md explains the results.";

constexpr std::string_view kCompactDetails =
    "Joins tables into one, or with --target_file_size into several that share "
    "no keys, and leaves out what no reader needs any more. The rules are "
    "those "
    "of RocksDB's compactions. The inputs are not changed.\n"
    "Of each key, the newest version stays, and the version that each of "
    "--snapshots sees. With --merge_operator, operands are joined with the "
    "value beneath them, or else with each other. Without --bottommost or "
    "--deeper, the command assumes that other tables may have older data, and "
    "keeps deletions and sequence numbers. --deeper names the tables that do "
    "have some, level by level: deletions of other keys go, and the rest "
    "stays.\n"
    "Name the oldest table first; the tables of a folder are taken in the "
    "order "
    "of their names. Sequence numbers say which version of a key is newer. The "
    "order matters for tables that 'build' made for ingestion, which have no "
    "numbers: each gets one above those of all tables before it, as "
    "IngestExternalFile would give. If two tables have one key with one "
    "number, the entry of the later table is taken. Options that no flag sets "
    "are kept of the last table, as rewrite does; user properties are not "
    "kept.\n"
    "Range deletions of a table count in full. In a database, the MANIFEST "
    "limits them to the bounds of the table, which the file does not record: "
    "here they may delete entries beyond these bounds that the database "
    "shows.\n"
    "Prints how many entries were read, written and dropped, and why. If "
    "nothing is left, the new table has no entries. If anything fails, nothing "
    "is left at --out. The names of tables and the manifest are those of "
    "'ashlar help build'.";

constexpr Command kCommands[] = {
    {"check", kCheck, kFiles,
     "read every entry; check order, count and checksums (default)",
     "Prints no entries. Compares the number of entries with the properties if "
     "it reads the whole file. 'ashlar check FILE' ends with 'ok: <n> entries' "
     "if no input has a fault.",
     RunCheck},
    {"scan", kScan, kFiles, "like check, and print each entry",
     "Prints one line per entry: '<key>' seq:<n>, type:<n> => <value>. type "
     "is the number in the file: 0 deletion, 1 value, 2 merge operand, 7 "
     "single deletion, 15 range deletion, 17 blob index, 18 value that "
     "Pebble wrote (its SETWITHDEL), 20 deletion with a timestamp, 22 "
     "wide-column entity, 24 value with a preferred sequence number. The value "
     "of a range deletion is the end of its range.\n"
     "--output_format=tsv and csv print key and value of each entry, and no "
     "sequence numbers. They have no form for entries other than values, and "
     "csv has none for bytes that are not UTF-8: each such entry is a fault. "
     "In tsv and keys, \\\\ stands for a backslash, and \\xHH for a byte "
     "outside printable ASCII.\n"
     "A folder with a CURRENT is a database: of the column family --cf, scan "
     "prints each key once, with the value that a reader at --snapshot sees. "
     "--merge_operator joins merge operands; without it, each operand and the "
     "value beneath them are entries of their own. Without a CURRENT, all "
     "tables "
     "of the folder count as one level: the entry with the largest sequence "
     "number is the newest, and of different entries with one number that of "
     "the larger type, or of the table whose name comes last.",
     RunScan},
    {"verify", kVerify, kFiles,
     "read every block of every kind; list all faults",
     "Checks that checksums match, that blocks decompress and parse, that "
     "they are within the file and do not overlap, and that index, restart "
     "points, hash indexes and filters lead to every key. If it finds no "
     "fault, every key can be read in every way. Where footer, metaindex or "
     "index of a file named *.sst or *.ldb are damaged or cut off, it looks "
     "for blocks in the bytes of the file, and checks those too. With "
     "--filter_keys=first it "
     "asks filters about the first 8 keys of each data block only, and the "
     "verdict says so.",
     RunVerify},
    {"identify", kIdentify, kFiles, "say which inputs are tables", "",
     RunIdentify},
    {"properties", kProperties, kFiles, "print the table properties",
     "Reads no data block.", RunProperties},
    {"layout", kLayout, kFiles, "print one line per block, in file order",
     "A block takes 5 bytes more than its size, for its trailer. The totals "
     "include the trailers. Blocks that a damaged index does not name are "
     "looked for, as by verify.",
     RunLayout},
    {"get", kGet, "--key=<key>... <file-or-directory>...",
     "look up keys through filter, index and data block",
     "Looks up all keys of --key and --keys_file, many at a time. With "
     "--from, --to or --prefix it looks up those of them that are in the "
     "range, or all keys of the table in the range if no keys are given. "
     "Prints what decides the state of the key: its newest entry, or its "
     "merge operands and the entry below them. A key without any entry is "
     "named on standard error and makes the exit code 1. A folder with a "
     "CURRENT is a database: the tables of the column family --cf are asked in "
     "the order that its MANIFEST gives, and each table with an entry of the "
     "key is named, with its level. Without a CURRENT, the tables of the "
     "folder "
     "count as one level, as for scan.",
     RunGet},
    {"raw", kRaw, kFiles, "write the whole table to a text file",
     "Writes footer, metaindex, properties, index, dictionary, range "
     "deletions and each data block with all its entries to <input without "
     ".sst>_dump.txt or --out. A block that cannot be read is named and "
     "skipped.",
     RunRaw},
    {"recompress", kRecompress, kFiles,
     "show the size of the table with other codecs",
     "Builds the table again with each codec and level, in an unnamed scratch "
     "file, and reads it back. The input is not changed. Sizes are in bytes, "
     "and those of data blocks alone. Cx size is the compressed size, with the "
     "trailer of 5 bytes per block. Uncx size is the size before compression, "
     "without trailers. Ratio is Uncx size divided by Cx size. The first "
     "result, Baseline, is the file as stored. With --sample, all results are "
     "for some of its data blocks.",
     RunRecompress},
    {"stats", kStats, kFiles, "show sizes and distributions",
     "Prints bytes per kind of block, entries per type, and percentiles of "
     "the sizes of keys, values and blocks. For the filter it prints bits per "
     "key and how often absent keys pass, both computed and measured with "
     "--filter_probes. The filter must match every key. With "
     "--prefix_separator or --prefix_length it also prints the ten prefixes "
     "with the most bytes.\n"
     "Of a folder with a CURRENT, which is a database, it prints this for each "
     "level of the column family --cf, without what filters do.",
     RunStats},
    {"report", kReport, kFiles, "write an HTML page about a table or database",
     "Writes one HTML file, <input without .sst>_report.html or --out, that "
     "loads nothing. The pages of the tables in a folder are written into the "
     "current folder; two of one name are an error. A page shows the verdict "
     "and the faults, bytes per kind of "
     "block, a map of the blocks, how keys are spread, distributions of "
     "sizes, the filter, and the size of sampled blocks with other codecs, "
     "levels and dictionaries. Compares the checksums of all blocks, and "
     "decodes --sample of the data blocks. The filter must match every key of "
     "those.\n"
     "A folder with a CURRENT is a database: the command writes one page about "
     "the column family --cf into the current folder, <folder>_report.html or "
     "--out. It shows the verdict and the faults of all live tables, what the "
     "MANIFEST says, the levels and how they overlap, where their tables are "
     "in the key space, distributions of sizes, the largest tables and those "
     "with the most deletions, and the properties that all tables share. "
     "Compares the checksums of all blocks, and decodes --sample of the data "
     "blocks of all tables together.",
     RunReport},
    {"diff", kDiff, "<file> <file>", "show how two tables or databases differ",
     "Compares entries by key, sequence number and type, then range "
     "deletions, then properties, except those that say who made the file and "
     "when. The exit code is 1 if anything differs. In a damaged table, only "
     "what is before the damage is compared.\n"
     "Of two folders with a CURRENT, which are databases, it compares what a "
     "reader at --snapshot sees in the column family --cf: keys, types and "
     "values. --merge_operator joins merge operands; without it they are "
     "compared one by one. A folder of tables without a CURRENT is one, too, "
     "as "
     "for scan.",
     RunDiff},
    {"space", kSpace, kFiles, "show bytes per range of keys, or per prefix",
     "By default, space prints ranges of keys that take about equal numbers of "
     "bytes. Each range ends where a data block ends, and has the keys up to "
     "and including the key that is printed. The command reads only the index "
     "for this, and no data block. Bytes are those of data blocks as stored, "
     "with their trailers. With --from, --to or --prefix, blocks that may have "
     "such keys are counted whole, and others are not.\n"
     "With --prefix_length, --prefix_separator or both, the command reads all "
     "entries and prints the bytes of each prefix. If a block has several "
     "prefixes, each gets a part of the block's bytes. The part is in "
     "proportion to the sizes of its values and keys, with 8 bytes per key "
     "added. If there are more than 65536 prefixes, small ones are added to "
     "'others'. So are those that --top leaves out.\n"
     "If there are several files, the command then prints the same for all "
     "files together. For this, it first cuts each file into at most 1024 "
     "ranges.\n"
     "Of a folder with a CURRENT, which is a database, it prints the bytes of "
     "each level of the column family --cf, and ranges or prefixes of all its "
     "tables together.",
     RunSpace},
    {"overlap", kOverlap, kFiles,
     "show which tables have keys in the same ranges",
     "Prints the smallest and the largest key of each table, range deletions "
     "included. It reads the first and the last data block of a table, and no "
     "other data block. Then it prints groups of tables that overlap, tables "
     "that overlap with no other table, and pairs of tables that overlap, at "
     "most --top of them.\n"
     "Last, it says whether one call of RocksDB's IngestExternalFile takes all "
     "the files. Files that do not overlap may be passed in any order. If "
     "several files have a key, the entry of the file that is passed last "
     "wins. RocksDB refuses files that overlap if ingest_behind is set, if "
     "allow_global_seqno is false, or if keys have timestamps; old releases "
     "always refuse them. All files of a call must have the same comparator, "
     "and none may be empty.",
     RunOverlap},
    {"salvage", kSalvage, "--out=<path> <file>",
     "save what is readable of a damaged table",
     "Copies every entry of every sound block to a new table, as rewrite "
     "does, and lists the ranges of keys that are lost. Where footer, "
     "metaindex or index are damaged or cut off, it looks for blocks in the "
     "bytes of the file, and lists the bytes in which it found none. Without "
     "the properties, --comparator says which order the keys have. The new "
     "table is not for ingestion, even if the old one was. The exit code is 1 "
     "if anything "
     "is damaged or left out, even if everything else was saved.",
     RunSalvage},
    {"cache-sim", kCacheSim, "<trace>...",
     "show what block caches of other sizes would miss", kCacheSimDetails,
     RunCacheSim},
    {"compact", kCompact, "--out=<path> <file-or-directory>...",
     "join tables as a compaction does", kCompactDetails, RunCompact},
    {"rewrite", kRewrite, "--out=<path> <file>",
     "copy the entries to a new file with other options",
     "Keeps format version, block size, restart intervals, prefix extractor, "
     "whether keys and values are stored apart, times, column family, merge "
     "operator and user properties, unless a flag sets them. Codec, checksum, "
     "filter and index follow the flags and their defaults. The block size is "
     "guessed from the blocks.",
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

std::string NearestCommand(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) names.push_back(command.name);
  return Nearest(name, names);
}

}  // namespace ashlar::tool
