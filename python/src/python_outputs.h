// PythonOutputs: tables that an object of Python opens and takes.
#ifndef ASHLAR_PYTHON_SRC_PYTHON_OUTPUTS_H_
#define ASHLAR_PYTHON_SRC_PYTHON_OUTPUTS_H_

#include <nanobind/nanobind.h>

#include <memory>

#include "ashlar/table/compaction.h"
#include "python/src/call_watch.h"
#include "python/src/python_files.h"
#include "tools/checksummed_file.h"

namespace ashlar::python {

// The object has `begin(number)`, which returns a file with `write`,
// `end(number, info)` and `drop(number)`. One table is open at a time. The
// library calls without the GIL. Exceptions are kept in `watch`.
class PythonOutputs final : public CompactionOutputs {
 public:
  PythonOutputs(nanobind::object object, std::shared_ptr<CallWatch> watch);
  ~PythonOutputs() override;

  Result<WritableFile*> Begin(size_t number, TableOptions* table_options,
                              BuildOptions* build_options) override;
  Status End(const CompactionOutput& output) override;
  void Drop(size_t number) override;

 private:
  nanobind::object object_;
  const std::shared_ptr<CallWatch> watch_;
  std::unique_ptr<PythonWritableFile> file_;
  std::unique_ptr<tool::ChecksummedFile> summed_;
};

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_PYTHON_OUTPUTS_H_
