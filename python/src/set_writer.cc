#include "python/src/set_writer.h"

#include <nanobind/stl/string.h>

#include <utility>

#include "python/src/add_batches.h"
#include "python/src/arrow_input.h"
#include "python/src/exclusive_use.h"
#include "python/src/option_values.h"
#include "python/src/python_rows.h"

namespace ashlar::python {

namespace nb = nanobind;

namespace {

DuplicatePolicy PolicyOf(const std::string& name) {
  if (name == "error") return DuplicatePolicy::kError;
  if (name == "first") return DuplicatePolicy::kFirst;
  if (name == "last") return DuplicatePolicy::kLast;
  Throw(Status::InvalidArgument("on_duplicate: '" + name +
                                "'; expected error, first or last"),
        {});
}

SortedTableWriterOptions OptionsOf(const nb::dict& given,
                                   const nb::dict& settings) {
  SortedTableWriterOptions options;
  SetWriteOptions(given, &options.table, &options.build);
  const auto get = [&settings](const char* name) {
    return nb::object(settings[name]);
  };
  options.build.target_file_size = nb::cast<uint64_t>(get("target_file_size"));
  options.memory = nb::cast<uint64_t>(get("memory"));
  options.expected_bytes = nb::cast<uint64_t>(get("expected_bytes"));
  options.temp_folder = nb::cast<std::string>(get("temp_folder"));
  options.threads = nb::cast<uint32_t>(get("threads"));
  options.overwrite = nb::cast<bool>(get("overwrite"));
  options.is_sorted = nb::cast<bool>(get("is_sorted"));
  options.on_duplicate = PolicyOf(nb::cast<std::string>(get("on_duplicate")));
  return options;
}

nb::dict Describe(const TableSetTable& table) {
  nb::dict made;
  made["path"] = nb::str(table.path.c_str());
  made["entries"] = table.entries;
  made["bytes"] = table.file_bytes;
  made["smallest"] = ToBytes(table.smallest);
  made["largest"] = ToBytes(table.largest);
  made["largest_is_exclusive"] = table.largest_is_exclusive;
  made["checksum"] = table.file_checksum;
  return made;
}

}  // namespace

SetWriter::SetWriter(const std::string& name, const nb::object& outputs,
                     const nb::dict& given, const nb::dict& settings)
    : name_(name) {
  SortedTableWriterOptions options = OptionsOf(given, settings);
  // The writer asks only while this object lives.
  options.is_cancelled = [watch = watch_.get()] { return watch->Poll(); };
  options.warn = [](std::string_view text) {
    nb::gil_scoped_acquire gil;
    const std::string copy(text);
    if (PyErr_WarnEx(PyExc_RuntimeWarning, copy.c_str(), 1) != 0) {
      PyErr_WriteUnraisable(nullptr);
    }
  };
  watch_->Begin();
  auto made = std::make_unique<Build>();
  if (!outputs.is_none()) {
    made->outputs = std::make_unique<PythonOutputs>(outputs, watch_);
  }
  Status status;
  {
    nb::gil_scoped_release release;
    auto writer = made->outputs != nullptr
                      ? SortedTableWriter::OpenTo(made->outputs.get(), options)
                      : SortedTableWriter::Open(name, options);
    status = writer.status();
    if (writer.ok()) made->writer = std::move(writer).value();
  }
  watch_->Check(status, name);
  build_ = OwnedByProcess<Build>(std::move(made));
}

SetWriter::~SetWriter() { Abandon(); }

// As TableWriter::Abandon.
void SetWriter::Abandon() {
  if (!build_ || is_used_) return;
  if (build_.IsForeign()) {
    build_.Reset();
    return;
  }
  const OwnedByProcess<Build> ended = std::move(build_);
  nb::gil_scoped_release release;
  ended->writer.reset();
}

SortedTableWriter& SetWriter::Writer() {
  if (build_.IsForeign()) {
    throw std::runtime_error(
        "the writer belongs to the process that forked this one");
  }
  if (!build_) throw nb::value_error("the writer is closed");
  return *build_->writer;
}

std::function<void()> SetWriter::Showing(const nb::object& progress) {
  if (progress.is_none()) return {};
  return [this, progress] {
    const SortedTableProgress now = build_->writer->progress();
    nb::dict shown;
    const bool is_writing = now.sort.entries == 0 || now.sort.merged != 0;
    shown["step"] = nb::str(is_writing ? "writing" : "sorting");
    shown["rows"] = is_writing ? now.written : now.sort.entries;
    if (now.sort.merged != 0) shown["of"] = now.sort.entries;
    shown["tables"] = now.tables;
    shown["duplicates"] = now.duplicates;
    progress(shown);
  };
}

void SetWriter::AddRows(const nb::object& source, const RowForm& form,
                        const nb::object& progress) {
  const ExclusiveUse use(&is_used_);
  SortedTableWriter& writer = Writer();
  watch_->Begin();
  const LookScope look(watch_.get(), Showing(progress));
  ArrowInput input(source, watch_);
  RowMaker rows(form);
  Status status;
  {
    nb::gil_scoped_release release;
    status = AddBatches(&input, &rows, watch_.get(),
                        [&writer](const Slice& key, const Slice& value) {
                          return writer.Put(key, value);
                        });
  }
  watch_->Check(status, name_);
}

nb::dict SetWriter::Finish(const nb::object& progress) {
  Status status;
  nb::dict result;
  {
    const ExclusiveUse use(&is_used_);
    SortedTableWriter& writer = Writer();
    watch_->Begin();
    const LookScope look(watch_.get(), Showing(progress));
    {
      nb::gil_scoped_release release;
      status = writer.Finish();
    }
    if (status.ok()) {
      nb::list tables;
      for (const TableSetTable& table : writer.tables()) {
        tables.append(Describe(table));
      }
      result["tables"] = tables;
      result["manifest"] = nb::str(writer.manifest().c_str());
      result["entries"] = writer.progress().written;
      result["duplicates"] = writer.progress().duplicates;
      result["sorted_runs"] = writer.progress().sort.runs;
    }
  }
  Abandon();
  watch_->Check(status, name_);
  return result;
}

}  // namespace ashlar::python
