// DatabaseReport: what `report` finds out about a database.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_DATABASE_REPORT_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_DATABASE_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/measure/level_map.h"
#include "tools/ashlar/measure/table_stats.h"
#include "tools/ashlar/print/properties_text.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

struct DatabaseReport {
  // The limits of the lists, for any number of tables.
  static constexpr size_t kMostFaults = 200;
  static constexpr size_t kMostListed = 10;

  // The tables of one level. What properties say is summed up as they say it.
  struct Level {
    uint32_t level = 0;
    uint64_t files = 0;
    uint64_t file_bytes = 0;
    uint64_t without_properties = 0;  // how many tables
    uint64_t entries = 0;
    uint64_t deletions = 0;
    uint64_t raw_bytes = 0;   // of keys and values
    uint64_t data_bytes = 0;  // of data blocks as stored
    // OverlappedBytes in the next level that has tables. Nothing in the last
    // level.
    std::optional<uint64_t> overlapped_bytes;
  };
  struct Fault {
    std::string path;  // of the table
    Status status;
    std::optional<TableFault> block;
  };

  // What the MANIFEST says.
  std::string folder;  // its name
  std::string column_family;
  std::string comparator;
  std::string manifest;
  std::string db_id;
  uint64_t last_sequence = 0;
  uint64_t column_families = 0;
  uint64_t ignored_bytes = 0;
  uint64_t blob_files = 0;
  uint64_t blob_bytes = 0;
  uint64_t blob_garbage_bytes = 0;
  // Logs that are not read. Nothing if they could not be counted.
  std::optional<uint64_t> write_ahead_logs;

  // The tables that were read, or could not be; not those that a writer has
  // removed meanwhile.
  uint64_t tables = 0;
  uint64_t bad_tables = 0;
  uint64_t file_bytes = 0;
  uint64_t blocks_ok = 0;
  uint64_t blocks_bad = 0;
  // Some tables have no checksums.
  bool lacks_checksums = false;
  uint64_t data_blocks = 0;
  uint64_t decoded_blocks = 0;
  std::vector<Fault> faults;  // the first ones
  uint64_t faults_total = 0;
  std::vector<Level> levels;
  // Bytes by kind count all blocks, the rest counts decoded blocks only.
  TableStats stats;
  uint64_t places = 0;
  std::vector<TableBox> boxes;
  std::vector<PlacedTable> largest;
  std::vector<PlacedTable> most_deletions;
  // The properties that have one value in all tables that have properties, and
  // the labels of the others.
  std::vector<LabelledProperty> common;
  std::vector<std::string> differing;
};

// Verifies the checksums of all blocks of all live tables, and decodes --sample
// of their data blocks, spread over the tables by their sizes. Returns false if
// there is nothing to show, because the run is to stop or memory ran out.
// `report` gets every fault. Memory: about 200 bytes and two keys per table,
// and what the largest table needs.
bool CollectDatabaseReport(const std::string& folder, Database* database,
                           DatabaseReport* result, Report* report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_DATABASE_REPORT_H_
