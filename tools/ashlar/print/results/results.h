// The results of commands, and the two printers of each: PrintText prints a
// result for people, and WriteJson writes it into the current JSON object.
//
// Only these printers know how a result looks. A command fills in a value, and
// passes it to Report::Show. Most values refer to what the command measured,
// and are to be shown at once. The printers of a value are next to each other,
// in the file of their command.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_RESULTS_RESULTS_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_RESULTS_RESULTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/inspect.h"
#include "tools/ashlar/inputs/lost_ranges.h"
#include "tools/ashlar/measure/block_sample.h"
#include "tools/ashlar/measure/key_overlaps.h"
#include "tools/ashlar/measure/key_ranges.h"
#include "tools/ashlar/measure/prefix_space.h"
#include "tools/ashlar/measure/table_report.h"
#include "tools/ashlar/outputs/table_output.h"
#include "tools/ashlar/print/stopwatch.h"

namespace ashlar::tool {

struct DatabaseReport;  // measure/database_report.h

// --- identify: identify.cc --------------------------------------------------

struct Identity {
  const std::string& path;
  TableMagic magic;
  bool valid;
  bool is_only_file;  // of the run
};
void PrintText(const Identity& file, Output* out);
void WriteJson(const Identity& file, JsonWriter* json);

// Text only, after the last of several files. `places` are the inputs.
struct ValidTables {
  const std::string& places;
  const std::vector<std::string>& paths;
};
void PrintText(const ValidTables& tables, Output* out);

// --- verify and layout: found_blocks.cc -------------------------------------

// What a walk over the bytes of a damaged file found. Prints nothing if there
// was none.
struct FoundBlocks {
  const TableInspection& inspection;
};
void PrintText(const FoundBlocks& found, Output* out);
void WriteJson(const FoundBlocks& found, JsonWriter* json);

// --- verify: verify.cc ------------------------------------------------------

// `not_checked` is what a flag left out, or empty.
struct Verification {
  const TableInspection& inspection;
  std::string_view not_checked;
};
void PrintText(const Verification& file, Output* out);
void WriteJson(const Verification& file, JsonWriter* json);

// Says whether the file is sound, before the faults. Text only.
struct Verdict {
  const std::string& path;
  const Verification& file;
  bool names_first_fault;
};
void PrintText(const Verdict& verdict, Output* out);

// --- layout: layout.cc ------------------------------------------------------

struct Layout {
  const TableInspection& inspection;
};
void PrintText(const Layout& table, Output* out);
void WriteJson(const Layout& table, JsonWriter* json);

// --- stats: stats.cc --------------------------------------------------------

struct StatsResult {
  const TableStats& stats;
  uint64_t file_bytes;
  const std::optional<FilterRates>& filter;
};
void PrintText(const StatsResult& table, Output* out);
void WriteJson(const StatsResult& table, JsonWriter* json);

// The stats of a level of a database, one of a list.
struct LevelStats {
  uint32_t level;
  uint64_t files;
  StatsResult stats;
};
void PrintText(const LevelStats& level, Output* out);
void WriteJson(const LevelStats& level, JsonWriter* json);

// Writes the member "histograms": the bins of each distribution.
void WriteHistograms(const TableStats& stats, JsonWriter* json);

// --- report: table_report.cc, database_report.cc ----------------------------

// Text has a page instead, which is drawn from this (page/page_render.h).
void WriteJson(const TableReport& table, JsonWriter* json);
void WriteJson(const DatabaseReport& database, JsonWriter* json);

// --- get: get.cc ------------------------------------------------------------

struct LookedUp {
  struct Operand {
    std::string value;
    SequenceNumber sequence;
  };
  // An entry of the key in a table of a database.
  struct Version {
    std::string file;  // the table's name
    size_t level;
    SequenceNumber sequence;
    ValueType type;
    uint64_t value_size;  // bytes
  };
  std::string key;
  GetResult result;
  std::vector<Operand> operands;  // newest first
  // Of a database: all entries of the key, and range deletions over it, in the
  // order in which its tables are asked. Without a MANIFEST: by their sequence
  // numbers, the largest first.
  bool has_versions = false;
  std::vector<Version> versions;
};
void PrintText(const LookedUp& found, Output* out);
void WriteJson(const LookedUp& found, JsonWriter* json);

// --- diff: diff.cc ----------------------------------------------------------

// What two tables do not have in common. The entries are printed before this,
// while the tables are read.
struct Differences {
  struct Property {
    std::string name;
    std::string first;
    std::string second;
  };
  uint64_t only_in_first = 0;
  uint64_t only_in_second = 0;
  uint64_t other_values = 0;
  uint64_t entries_not_shown = 0;
  std::vector<Property> properties;

  bool none() const {
    return only_in_first + only_in_second + other_values + properties.size() ==
           0;
  }
};
void PrintText(const Differences& tables, Output* out);
void WriteJson(const Differences& tables, JsonWriter* json);

// An entry that only one table has, or whose value differs. `sign` is '-' for
// the first table and '+' for the second. Text only.
struct DifferentEntry {
  char sign;
  Slice user_key;
  SequenceNumber sequence;
  ValueType type;
  Slice value;
};
void PrintText(const DifferentEntry& entry, Output* out);

// --- space: space.cc --------------------------------------------------------

struct SpaceResult {
  uint64_t data_blocks;
  uint64_t data_bytes;
  uint64_t file_bytes;
  // Either ranges of keys, or prefixes and the sum of those not listed.
  bool by_prefix;
  std::vector<KeySpaceRange> ranges;
  std::vector<PrefixSpace::Row> prefixes;
  SpaceTaken others;
};
void PrintText(const SpaceResult& space, Output* out);
void WriteJson(const SpaceResult& space, JsonWriter* json);

// The space of a database: of its tables together, and by level.
struct LevelSpace {
  uint32_t level = 0;
  uint64_t files = 0;
  uint64_t data_blocks = 0;
  uint64_t data_bytes = 0;
  uint64_t file_bytes = 0;
};
struct DatabaseSpace {
  std::vector<LevelSpace> levels;
  SpaceResult space;
};
void PrintText(const DatabaseSpace& database, Output* out);
void WriteJson(const DatabaseSpace& database, JsonWriter* json);

// The space of all files together.
struct TotalSpace {
  uint64_t files;
  bool is_of_several_inputs;  // else text does not repeat it
  bool orders_differ;         // so there are no ranges
  SpaceResult space;
};
void PrintText(const TotalSpace& total, Output* out);
void WriteJson(const TotalSpace& total, JsonWriter* json);

// --- overlap: overlap.cc ----------------------------------------------------

// The keys of one table; `bounds` is empty if it has none.
struct TableKeys {
  std::string_view comparator;
  const std::optional<KeyBounds>& bounds;
};
void PrintText(const TableKeys& keys, Output* out);
void WriteJson(const TableKeys& keys, JsonWriter* json);

struct OverlapResult {
  // Says whether one call of IngestExternalFile takes all the tables. kInOrder:
  // it does, but they overlap, and for a key in several files the last file
  // that is named wins.
  enum class Batch : uint8_t { kYes, kInOrder, kNo };

  struct OfComparator {
    const Comparator* comparator;
    KeyOverlaps overlaps;
  };
  std::vector<OfComparator> found;
  std::vector<std::string> empty;  // paths of tables without entries
  bool all_sound = false;
  uint64_t files = 0;
  uint64_t not_external = 0;
  // Groups of more than one table, and the tables and the pairs in them.
  uint64_t groups = 0;
  uint64_t overlapping = 0;
  uint64_t pairs = 0;
  Batch one_batch = Batch::kNo;
};
void PrintText(const OverlapResult& tables, Output* out);
void WriteJson(const OverlapResult& tables, JsonWriter* json);

// --- recompress: recompress.cc ----------------------------------------------

// Comes before the runs of a codec. Text only.
struct RunsHeading {
  CompressionType codec;
  uint64_t block_size;
  uint32_t threads;
};
void PrintText(const RunsHeading& heading, Output* out);

struct RecompressRun {
  CompressionType codec;
  int level;
  uint64_t block_size;
  uint32_t threads;
  uint32_t max_dict_bytes;
  TableProperties made;
  Elapsed write;
  Elapsed read;
};
void PrintText(const RecompressRun& run, Output* out);
void WriteJson(const RecompressRun& run, JsonWriter* json);

// The blocks as the file has them. `is_sample`: only some of its blocks.
struct Baseline {
  const StoredBlocks& stored;
  bool is_sample;
};
void PrintText(const Baseline& baseline, Output* out);
void WriteJson(const Baseline& baseline, JsonWriter* json);

// A codec that is not built in. Text only.
struct UnsupportedCodec {
  CompressionType codec;
};
void PrintText(const UnsupportedCodec& refused, Output* out);

// --- Files that a command wrote: written_files.cc ---------------------------

// A table, or a set of them; one at least. `manifest` is empty if it is not a
// set. The text is one line on standard error. `name` is shown in JSON unless
// it is empty.
struct MadeTables {
  std::vector<MadeTable> tables;
  std::string manifest;
  double seconds;
  std::string_view name;
  bool dry_run = false;  // nothing was written
};
void PrintText(const MadeTables& made, Output* out);
void WriteJson(const MadeTables& made, JsonWriter* json);

// What became of the rows that `build` read. `read` includes `duplicates`,
// which --on_duplicate left out, and does not include `bad`. The text is a line
// on standard error, if rows were left out.
struct RowCounts {
  uint64_t read;
  uint64_t bad;
  uint64_t duplicates;
  uint64_t outside;  // of the range
  bool dry_run;
};
void PrintText(const RowCounts& rows, Output* out);
void WriteJson(const RowCounts& rows, JsonWriter* json);

// A file that the command wrote.
struct WrittenFile {
  std::string_view text;       // what it is
  std::string_view json_name;  // of the member with its name
  const std::string& name;
};
void PrintText(const WrittenFile& file, Output* out);
void WriteJson(const WrittenFile& file, JsonWriter* json);

// --- compact: compact.cc ----------------------------------------------------

struct Compacted {
  const CompactionResult& result;
  uint64_t input_files;
  uint64_t input_bytes;  // of the files
  uint64_t input_range_deletions;
  MadeTables made;
};
void PrintText(const Compacted& tables, Output* out);
void WriteJson(const Compacted& tables, JsonWriter* json);

// --- salvage: salvage.cc ----------------------------------------------------

struct Salvaged {
  const std::vector<LostRange>& lost;
  const std::vector<LostBytes>& lost_bytes;
  uint64_t blocks_found;  // data blocks that the index did not name
  bool index_has_user_keys;
  uint64_t entries_left_out;
  std::optional<MadeTables> made;  // empty if the new table was not finished
};
void PrintText(const Salvaged& table, Output* out);
void WriteJson(const Salvaged& table, JsonWriter* json);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_RESULTS_RESULTS_H_
