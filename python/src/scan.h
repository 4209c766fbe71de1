// Scan: the rows of open tables in the order of their keys, as batches.
//
// A RowStream: one thread at a time, without the GIL.
#ifndef ASHLAR_PYTHON_SRC_SCAN_H_
#define ASHLAR_PYTHON_SRC_SCAN_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/table/iterator.h"
#include "ashlar/table/read_options.h"
#include "ashlar/table/user_iterator.h"
#include "python/src/key_form.h"
#include "python/src/open_tables.h"
#include "python/src/row_stream.h"

namespace ashlar::python {

struct ScanOptions {
  std::optional<std::string> lower;  // inclusive
  std::optional<std::string> upper;  // exclusive
  bool with_key = true;
  bool with_value = true;
  // Instead of a column of keys: the columns that they consist of.
  std::optional<KeyForm> key_form;
  int64_t batch_rows = 16384;
  uint64_t limit = UINT64_MAX;  // of rows
  uint64_t readahead_bytes = 0;
};

class Scan final : public RowStream {
 public:
  Scan(std::shared_ptr<const OpenTables> tables, ScanOptions options);

  const std::vector<OutputType>& types() const override { return types_; }
  Status Next(std::shared_ptr<OutputBatch>* batch) override;
  CallWatch* watch() override { return &watch_; }
  std::string name() const override { return tables_->OneName(); }

 private:
  ReadOptions OptionsOfRead() const;
  void OpenNext();
  Status Append(const Slice& key, const Slice& value, OutputBatch* batch);
  OutputBatch MakeBatch() const;
  // Appends what `entries` shows, until the batch is full.
  template <typename Entries>
  Status Fill(Entries* entries, OutputBatch* batch);
  // Returns how many rows the batch may still get.
  uint64_t RoomOf(const OutputBatch& batch) const;

  const std::shared_ptr<const OpenTables> tables_;
  CallWatch watch_;
  ScanOptions options_;
  Slice lower_;
  Slice upper_;
  std::vector<OutputType> types_;
  size_t key_columns_ = 0;
  // Tables of one level are walked over one after the other.
  size_t next_table_ = 0;
  // At most one of these two is there.
  std::optional<Iterator> entries_;
  std::optional<UserIterator> merged_;
  uint64_t rows_ = 0;
  size_t batch_bytes_ = 0;  // of the rows of the batch
  bool at_end_ = false;
};

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_SCAN_H_
