// OpenTables: tables that are read as one, of which newer ones hide older ones.
//
// Shared by the object of Python and by its scans. Any number of threads may
// read it. Files that are Python objects are read through a RemoteFile, whose
// threads take the GIL: so nobody may wait for a read while having the GIL.
#ifndef ASHLAR_PYTHON_SRC_OPEN_TABLES_H_
#define ASHLAR_PYTHON_SRC_OPEN_TABLES_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ashlar/table/multi_table_get.h"
#include "ashlar/table/reader_options.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/table/user_iterator.h"
#include "ashlar/util/file.h"
#include "ashlar/util/remote_file.h"
#include "ashlar/util/status.h"
#include "python/src/call_watch.h"

namespace ashlar::python {

class OpenTables {
 public:
  // One table to open.
  struct Source {
    std::string name;
    // An object as PythonReadableFile takes it, or none: `name` is a path.
    nanobind::object file;
    // Which level it is in, from 0, the newest. Levels come in order. Tables of
    // one level are in the order of their keys, and share none.
    size_t level = 0;
  };

  // With the GIL.
  explicit OpenTables(std::shared_ptr<CallWatch> watch)
      : watch_(std::move(watch)) {}
  // Without the GIL.
  ~OpenTables();
  OpenTables(const OpenTables&) = delete;
  OpenTables& operator=(const OpenTables&) = delete;

  // Without the GIL. To be called once. Sets *failed to the name of the table
  // that cannot be opened.
  Status Open(std::vector<Source>* sources, const ReaderOptions& options,
              std::string* failed);

  // As TableReader::MultiGet.
  void MultiGet(std::span<const Slice> keys, std::span<GetResult> results,
                std::span<Status> statuses) const;

  size_t size() const { return tables_.size(); }
  const TableReader& table(size_t i) const { return *tables_[i].reader; }
  const std::string& name(size_t i) const { return tables_[i].name; }
  // Of one table its name; otherwise empty.
  std::string OneName() const { return size() == 1 ? name(0) : std::string(); }
  // Returns whether one level has all tables.
  bool is_one_level() const { return level_count_ <= 1; }
  std::vector<UserIteratorTable> ForIterator() const;
  // Returns whether every entry of every table is a value or an entity, with
  // one version of each key: then an Iterator shows what a user sees.
  bool is_plain(size_t i) const { return tables_[i].is_plain; }
  // That of opening, which files keep.
  const std::shared_ptr<CallWatch>& watch() const { return watch_; }

 private:
  struct OneTable {
    std::string name;
    std::unique_ptr<TableReader> reader;
    size_t level = 0;
    // Of its keys, if it has any; only if there are several tables.
    bool has_keys = false;
    std::string smallest;
    std::string largest;
    bool excludes_largest = false;
    bool is_plain = false;
  };
  Status OpenRemote(Source* source, std::unique_ptr<RandomAccessFile>* file);
  // Opens sources that are one level, as these tables. The sequence numbers of
  // older levels are at most *largest, which then counts these too.
  Status OpenLevel(std::span<Source> sources, std::span<OneTable> tables,
                   const ReaderOptions& options, SequenceNumber* largest,
                   std::string* failed);
  // Opens one. `number` is for the entries of a table that was made for
  // ingestion.
  Status OpenOne(Source* source, const ReaderOptions& given,
                 SequenceNumber number, OneTable* table);
  Status FindRange(OneTable* table) const;
  Status MakeLevels(std::string* failed);

  const std::shared_ptr<CallWatch> watch_;
  // Of all remote files: a view may have thousands. Null if there are none.
  std::shared_ptr<RequestThreads> request_threads_;
  std::vector<OneTable> tables_;
  size_t level_count_ = 0;
  std::vector<std::vector<TableRange>> ranges_;
  std::vector<TableLevel> levels_;  // refer to ranges_
};

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_OPEN_TABLES_H_
