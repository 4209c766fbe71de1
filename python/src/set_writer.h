// SetWriter: a set of tables and a manifest, of rows in any order.
//
// What ashlar.write_tables is made of. A SortedTableWriter of the library does
// the work. Functions are called with the GIL, and give it away.
#ifndef ASHLAR_PYTHON_SRC_SET_WRITER_H_
#define ASHLAR_PYTHON_SRC_SET_WRITER_H_

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <string>

#include "ashlar/table/sorted_table_writer.h"
#include "python/src/call_watch.h"
#include "python/src/owned_by_process.h"
#include "python/src/python_outputs.h"
#include "python/src/row_maker.h"

namespace ashlar::python {

class SetWriter {
 public:
  // `given` has options of tables (SetWriteOptions). `settings` has the members
  // of SortedTableWriterOptions by name, and `target_file_size`. If `outputs`
  // is none, `name` is the path of the set. Otherwise it is for messages, and
  // `outputs` is as PythonOutputs takes it.
  SetWriter(const std::string& name, const nanobind::object& outputs,
            const nanobind::dict& given, const nanobind::dict& settings);
  SetWriter(const SetWriter&) = delete;
  SetWriter& operator=(const SetWriter&) = delete;
  ~SetWriter();

  // Adds all rows of the source (ArrowInput). `progress`, unless it is none,
  // gets a dict now and then, here and in Finish.
  void AddRows(const nanobind::object& source, const RowForm& form,
               const nanobind::object& progress);
  // Returns a dict with the tables, the manifest's path and what was counted.
  nanobind::dict Finish(const nanobind::object& progress);
  // Removes what was made. Does nothing after Finish.
  void Abandon();

 private:
  struct Build {
    std::unique_ptr<PythonOutputs> outputs;
    std::unique_ptr<SortedTableWriter> writer;
  };
  SortedTableWriter& Writer();
  // Returns what shows the progress at each look; empty if nobody wants it.
  std::function<void()> Showing(const nanobind::object& progress);

  const std::string name_;
  const std::shared_ptr<CallWatch> watch_ = std::make_shared<CallWatch>();
  OwnedByProcess<Build> build_;
  bool is_used_ = false;
};

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_SET_WRITER_H_
