// NumberedOutputs: the tables of a flush or a compaction, each in a file that
// the engine numbers.
//
// For engines with a manifest of their own:
//
//   ashlar::NumberedOutputs outputs({
//       .next_number = [&] { return next_file++; },
//       .path = [](uint64_t number) { return PathOf(number); }});
//   ashlar::CompactionResult result;
//   ashlar::Status status =
//       ashlar::CompactTables(options, runs, {}, &outputs, &result);
//   if (!status.ok()) return status;
//   for (ashlar::NumberedOutput& table : outputs.Take(result)) { ... }
//
// A file gets its name when its table is complete, and with AtomicFile's
// `sync` on disk. Where a compaction fails, no file of it stays. TableSet
// (table/table_set.h) has a manifest, and names all its tables together.
//
// CompactTables calls it, also from subcompactions. All else is for one thread,
// when no compaction uses it.
#ifndef ASHLAR_TABLE_NUMBERED_OUTPUTS_H_
#define ASHLAR_TABLE_NUMBERED_OUTPUTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/table_summary.h"
#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"

namespace ashlar {

// A finished table.
struct NumberedOutput {
  uint64_t number = 0;
  std::string path;
  FileRange range;  // smallest and largest are clipped to the output
  TableSummary summary;
};

// Names and form of the files.
struct NumberedOutputsOptions {
  // Returns a file number that was never used. The table has it as
  // TableIdentity::file_number. Called by one thread at a time.
  std::function<uint64_t()> next_number;
  // Returns the path of the file with that number.
  std::function<std::string(uint64_t number)> path;
  // How each file is written.
  AtomicFile::Options file;
};

class ASHLAR_EXPORT NumberedOutputs final : public CompactionOutputs {
 public:
  // Makes no file yet.
  explicit NumberedOutputs(NumberedOutputsOptions options)
      : options_(std::move(options)) {}
  NumberedOutputs(const NumberedOutputs&) = delete;
  NumberedOutputs& operator=(const NumberedOutputs&) = delete;
  // Removes the files that were not taken, as well as it can.
  ~NumberedOutputs() override;

  // For one call of CompactTables.
  Result<WritableFile*> Begin(size_t number, TableOptions* table_options,
                              BuildOptions* build_options) override;
  Status End(const CompactionOutput& output) override;
  void Drop(size_t number) override;

  // Returns the tables of a compaction that has returned ok, in key order.
  // Their files are the caller's from now on.
  std::vector<NumberedOutput> Take(const CompactionResult& result);

 private:
  struct Table {
    NumberedOutput about;
    bool is_new = false;               // no file had its path before
    std::unique_ptr<AtomicFile> file;  // null once it has its name
  };

  const NumberedOutputsOptions options_;
  std::map<size_t, Table> tables_;  // by the number that CompactTables gives
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_NUMBERED_OUTPUTS_H_
