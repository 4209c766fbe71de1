#include "python/src/python_outputs.h"

#include <string>
#include <utility>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/table_builder.h"
#include "python/src/python_rows.h"

namespace ashlar::python {

namespace nb = nanobind;

PythonOutputs::PythonOutputs(nb::object object,
                             std::shared_ptr<CallWatch> watch)
    : object_(std::move(object)), watch_(std::move(watch)) {}

PythonOutputs::~PythonOutputs() {
  nb::gil_scoped_acquire gil;
  object_.reset();
}

Result<WritableFile*> PythonOutputs::Begin(size_t number,
                                           TableOptions* /*table_options*/,
                                           BuildOptions* /*build_options*/) {
  nb::gil_scoped_acquire gil;
  try {
    file_ = std::make_unique<PythonWritableFile>(
        object_.attr("begin")(number), "table " + std::to_string(number + 1),
        watch_);
    summed_ = std::make_unique<tool::ChecksummedFile>(file_.get());
    return summed_.get();
  } catch (nb::python_error& error) {
    watch_->Keep(error);
    return Status::IOError(std::string("cannot make a table: ") + error.what());
  }
}

Status PythonOutputs::End(const CompactionOutput& output) {
  nb::gil_scoped_acquire gil;
  try {
    nb::dict info;
    info["entries"] = output.builder->NumEntries();
    info["bytes"] = output.builder->FileSize();
    info["smallest"] = ToBytes(UserKeyOf(output.smallest));
    info["largest"] = ToBytes(UserKeyOf(output.largest));
    info["largest_is_exclusive"] = IsRangeDeletionEnd(output.largest);
    info["checksum"] = summed_->checksum();
    object_.attr("end")(output.number, info);
    return {};
  } catch (nb::python_error& error) {
    watch_->Keep(error);
    return Status::IOError(std::string("cannot end a table: ") + error.what());
  }
}

// Also called while an exception destroys the writer.
void PythonOutputs::Drop(size_t number) {
  nb::gil_scoped_acquire gil;
  const nb::error_scope kept;
  try {
    object_.attr("drop")(number);
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("drop");
  }
}

}  // namespace ashlar::python
