// Open tables as an object of Python.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/inspect.h"
#include "python/src/arrow_input.h"
#include "python/src/bindings.h"
#include "python/src/multi_get.h"
#include "python/src/open_tables.h"
#include "python/src/option_values.h"
#include "python/src/owned_by_process.h"
#include "python/src/python_rows.h"
#include "python/src/scan.h"

namespace ashlar::python {

namespace nb = nanobind;

namespace {

// Destroys tables without the GIL, since the threads of remote files may need
// it; in the child of a fork, in which these threads are not, forgets them.
struct TablesDeleter {
  void operator()(OpenTables* tables) const {
    if (getpid() != process) return;
    if (Py_IsInitialized() == 0) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    {
      nb::gil_scoped_release release;
      delete tables;
    }
    PyGILState_Release(state);
  }
  pid_t process;
};

class Tables {
 public:
  // `sources` has tuples (level, name, file or none).
  Tables(const nb::list& sources, const nb::dict& options,
         uint64_t cache_bytes) {
    auto watch = std::make_shared<CallWatch>();
    tables_ = std::shared_ptr<OpenTables>(new OpenTables(watch),
                                          TablesDeleter{getpid()});
    ReaderOptions reader;
    SetReadOptions(options, &reader);
    std::vector<OpenTables::Source> files;
    for (const nb::handle& item : sources) {
      const auto tuple = nb::borrow<nb::tuple>(item);
      OpenTables::Source source;
      source.level = nb::cast<size_t>(tuple[0]);
      source.name = nb::cast<std::string>(tuple[1]);
      if (!tuple[2].is_none()) source.file = nb::borrow(tuple[2]);
      files.push_back(std::move(source));
    }
    if (cache_bytes != 0) {
      auto cache = NewHyperClockCache({.capacity = cache_bytes});
      Check(cache.status());
      reader.block_cache = std::move(cache).value();
    }
    watch->Begin();
    std::string failed;
    Status status;
    {
      nb::gil_scoped_release release;
      status = tables_->Open(&files, reader, &failed);
    }
    watch->Check(status, failed);
  }

  nb::object Get(const nb::bytes& key) {
    const std::shared_ptr<CallWatch> watch = Begin();
    const Slice keys[] = {BytesOf(key)};
    GetResult results[1];
    Status statuses[1];
    {
      nb::gil_scoped_release release;
      Open().MultiGet(keys, results, statuses);
    }
    watch->Check(statuses[0], tables_->OneName());
    const std::optional<Slice> value = ValueOf(results[0], &statuses[0]);
    watch->Check(statuses[0], tables_->OneName());
    return value ? nb::object(ToBytes(*value)) : nb::none();
  }

  PythonArray MultiGet(const nb::object& source, const nb::object& form) {
    const std::shared_ptr<CallWatch> watch = Begin();
    ArrowInput input(source, watch);
    RowMaker rows(FormOf(form));
    std::shared_ptr<OutputBatch> found;
    Status status;
    {
      nb::gil_scoped_release release;
      status = FindAll(Open(), watch.get(), &input, &rows, &found);
    }
    watch->Check(status, tables_->OneName());
    return {std::move(found), 0};
  }

  PythonStream MakeScan(const std::optional<nb::bytes>& lower,
                        const std::optional<nb::bytes>& upper, bool with_key,
                        bool with_value,
                        const std::vector<std::string>& key_columns,
                        bool is_salted, int64_t batch_rows, uint64_t limit,
                        uint64_t readahead_bytes) {
    ScanOptions options;
    if (lower) options.lower = BytesOf(*lower).ToString();
    if (upper) options.upper = BytesOf(*upper).ToString();
    options.with_key = with_key;
    options.with_value = with_value;
    options.batch_rows = batch_rows;
    options.limit = limit;
    options.readahead_bytes = readahead_bytes;
    if (!key_columns.empty()) {
      auto form = KeyForm::Parse(key_columns, is_salted);
      python::Check(form.status());
      options.key_form = std::move(form).value();
    }
    return {std::make_shared<Scan>(tables_, std::move(options))};
  }

  // The properties of one table, as its file stores them.
  nb::dict Properties(size_t i) const {
    nb::dict all;
    for (const auto& [name, value] : tables_->table(i).properties().stored) {
      all[nb::str(name.data(), name.size())] = ToBytes(value);
    }
    return all;
  }

  uint64_t EntriesOf(size_t i) const {
    return tables_->table(i).properties().num_entries;
  }

  // Reads everything, and throws the first fault.
  nb::dict Verify(size_t i) {
    const std::shared_ptr<CallWatch> watch = Begin();
    InspectOptions options;
    options.on_progress = [&watch](uint64_t, uint64_t) {
      return !watch->Poll();
    };
    TableInspection inspection;
    Status status;
    {
      nb::gil_scoped_release release;
      status = InspectTable(tables_->table(i).file(), options, &inspection);
    }
    watch->Check(status, tables_->name(i));
    if (!inspection.faults.empty()) {
      const TableFault& fault = inspection.faults.front();
      Throw(fault.status, tables_->name(i));
    }
    nb::dict result;
    result["blocks"] = inspection.blocks_ok;
    result["bytes"] = inspection.bytes_checked;
    return result;
  }

  size_t size() const { return tables_->size(); }

 private:
  OpenTables& Open() { return *tables_; }
  // Returns what watches one call: other threads may read meanwhile.
  std::shared_ptr<CallWatch> Begin() const {
    auto watch = std::make_shared<CallWatch>(tables_->watch());
    watch->Begin();
    return watch;
  }

  std::shared_ptr<OpenTables> tables_;
};

}  // namespace

void BindTables(nb::module_& module) {
  nb::class_<Tables>(module, "Tables")
      .def(nb::init<const nb::list&, const nb::dict&, uint64_t>(),
           nb::arg("sources"), nb::arg("options"), nb::arg("cache_bytes"))
      .def("get", &Tables::Get)
      .def("multi_get", &Tables::MultiGet, nb::arg("keys"), nb::arg("form"))
      .def("scan", &Tables::MakeScan, nb::arg("lower").none(),
           nb::arg("upper").none(), nb::arg("with_key"), nb::arg("with_value"),
           nb::arg("key_columns"), nb::arg("is_salted"), nb::arg("batch_rows"),
           nb::arg("limit"), nb::arg("readahead_bytes"))
      .def("properties", &Tables::Properties)
      .def("entries", &Tables::EntriesOf)
      .def("verify", &Tables::Verify)
      .def("__len__", &Tables::size);
}

}  // namespace ashlar::python
