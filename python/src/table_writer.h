// TableWriter: one table, written to a path or to an object with `write`.
//
// What ashlar.TableWriter of the package is made of. All functions are called
// with the GIL, and give it away while the library works. Entries must come in
// the order of their keys.
#ifndef ASHLAR_PYTHON_SRC_TABLE_WRITER_H_
#define ASHLAR_PYTHON_SRC_TABLE_WRITER_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "ashlar/table/table_builder.h"
#include "ashlar/util/file.h"
#include "python/src/call_watch.h"
#include "python/src/owned_by_process.h"
#include "python/src/python_files.h"
#include "python/src/row_maker.h"

namespace ashlar::python {

class TableWriter {
 public:
  // If `file` is none, the table is the file `name`, which appears when it is
  // finished. Otherwise `name` is for messages.
  TableWriter(const std::string& name, const nanobind::object& file,
              const nanobind::dict& options, bool overwrite, bool sync);
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;
  ~TableWriter();

  void Put(const nanobind::bytes& key, const nanobind::bytes& value);
  void Delete(const nanobind::bytes& key);
  void Merge(const nanobind::bytes& key, const nanobind::bytes& operand);
  void DeleteRange(const nanobind::bytes& begin, const nanobind::bytes& end);
  // Adds all rows of the source (ArrowInput). `progress`, unless it is none, is
  // called with the number of rows now and then. Returns the number of rows.
  uint64_t PutRows(const nanobind::object& source, const RowForm& form,
                   const nanobind::object& progress);

  // Writes the rest and names the file. Returns what a manifest says of it.
  nanobind::dict Finish();
  // Removes what was written. Does nothing after Finish.
  void Abandon();

  uint64_t entries() const;
  uint64_t file_size() const;

 private:
  // All that belongs to the process that made it.
  struct Build {
    std::unique_ptr<AtomicFile> atomic;
    std::unique_ptr<PythonWritableFile> python;
    std::unique_ptr<TableBuilder> builder;  // before the files in destruction
  };

  TableBuilder& Builder();
  void Add(const Slice& key, ValueType type, const Slice& value);
  Status Commit();

  const std::string name_;
  const std::shared_ptr<CallWatch> watch_ = std::make_shared<CallWatch>();
  OwnedByProcess<Build> build_;
  bool is_python_file_ = false;
  bool is_used_ = false;
  uint64_t entries_ = 0;  // after the build has ended
  uint64_t file_size_ = 0;
};

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_TABLE_WRITER_H_
