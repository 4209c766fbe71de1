// Arrays, batches and streams as objects of Python.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "python/src/bindings.h"
#include "python/src/call_watch.h"
#include "python/src/encoded_rows.h"
#include "python/src/exclusive_use.h"
#include "python/src/python_rows.h"
#include "python/src/rows_of_tuples.h"

namespace ashlar::python {

namespace nb = nanobind;

namespace {

template <typename Struct>
void DestroyCapsule(PyObject* capsule) {
  auto* const owned = static_cast<Struct*>(
      PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
  if (owned == nullptr) return;
  if (owned->release != nullptr) owned->release(owned);
  delete owned;
}

// Returns a capsule that owns a struct, which `fill` sets.
template <typename Struct, typename Fill>
nb::object MakeCapsule(const char* name, const Fill& fill) {
  auto made = std::make_unique<Struct>();
  *made = {};
  fill(made.get());
  PyObject* const capsule =
      PyCapsule_New(made.get(), name, &DestroyCapsule<Struct>);
  if (capsule == nullptr) {
    if (made->release != nullptr) made->release(made.get());
    throw nb::python_error();
  }
  static_cast<void>(made.release());
  return nb::steal(capsule);
}

nb::tuple ExportArray(const PythonArray& array) {
  const OutputColumn& column = array.batch->columns[array.column];
  return nb::make_tuple(
      MakeCapsule<ArrowSchema>(
          "arrow_schema",
          [&](ArrowSchema* schema) { ExportType(column.type(), schema); }),
      MakeCapsule<ArrowArray>("arrow_array", [&](ArrowArray* to) {
        ExportColumn(array.batch, array.column, to);
      }));
}

nb::object ExportTypes(const std::vector<OutputType>& types) {
  return MakeCapsule<ArrowSchema>(
      "arrow_schema", [&](ArrowSchema* schema) { ExportType(types, schema); });
}

nb::tuple ExportBatchOf(const PythonBatch& batch) {
  return nb::make_tuple(
      ExportTypes(batch.types),
      MakeCapsule<ArrowArray>("arrow_array", [&](ArrowArray* array) {
        ExportBatch(batch.batch, array);
      }));
}

template <typename Number>
Number NumberAt(const OutputColumn& column, int64_t i) {
  Number number;
  std::memcpy(&number, column.At(i).data(), sizeof number);
  return number;
}

// Dates and timestamps are shown as numbers.
nb::object ValueAt(const OutputColumn& column, int64_t i) {
  if (column.IsNull(i)) return nb::none();
  switch (column.type().format[0]) {
    case 'u':
    case 'U': {
      const Slice text = column.At(i);
      return nb::str(text.data(), text.size());
    }
    case 'I':
      return nb::int_(NumberAt<uint32_t>(column, i));
    case 'L':
      return nb::int_(NumberAt<uint64_t>(column, i));
    case 'f':
      return nb::float_(NumberAt<float>(column, i));
    case 'g':
      return nb::float_(NumberAt<double>(column, i));
    case 'z':
    case 'Z':
      return ToBytes(column.At(i));
    default:
      return column.type().width == 4 ? nb::int_(NumberAt<int32_t>(column, i))
                                      : nb::int_(NumberAt<int64_t>(column, i));
  }
}

nb::list ToList(const OutputColumn& column) {
  nb::list values;
  for (int64_t i = 0; i < column.length(); ++i) {
    values.append(ValueAt(column, i));
  }
  return values;
}

nb::list ToTuples(const OutputBatch& batch) {
  nb::list rows;
  for (int64_t i = 0; i < batch.length(); ++i) {
    nb::list row;
    for (const OutputColumn& column : batch.columns) {
      row.append(ValueAt(column, i));
    }
    rows.append(nb::tuple(row));
  }
  return rows;
}

nb::object ExportStreamOf(PythonStream* stream) {
  if (stream->is_begun || stream->is_exported) {
    throw nb::value_error("the stream was used before");
  }
  stream->is_exported = true;
  return MakeCapsule<ArrowArrayStream>(
      "arrow_array_stream",
      [&](ArrowArrayStream* to) { ExportStream(stream->rows, to); });
}

PythonBatch NextBatch(PythonStream* stream) {
  if (stream->is_exported) {
    throw nb::value_error("the stream was handed to a consumer before");
  }
  const ExclusiveUse use(&stream->is_used);
  stream->is_begun = true;
  RowStream& rows = *stream->rows;
  rows.watch()->Begin();
  std::shared_ptr<OutputBatch> batch;
  Status status;
  {
    nb::gil_scoped_release release;
    status = rows.Next(&batch);
  }
  rows.watch()->Check(status, rows.name());
  if (batch == nullptr) throw nb::stop_iteration();
  return {std::move(batch), rows.types()};
}

PythonBatch EncodeRowsOf(const nb::object& source, const nb::object& form) {
  auto watch = std::make_shared<CallWatch>();
  watch->Begin();
  ArrowInput input(source, watch);
  RowMaker rows(FormOf(form));
  std::shared_ptr<OutputBatch> encoded;
  Status status;
  {
    nb::gil_scoped_release release;
    status = EncodeRows(&input, &rows, &encoded);
  }
  watch->Check(status, {});
  return {std::move(encoded), EncodedTypes()};
}

}  // namespace

RowForm FormOf(const nb::handle& form) {
  const auto parts = nb::borrow<nb::tuple>(form);
  RowForm made;
  made.key = nb::cast<std::vector<std::string>>(parts[0]);
  made.value = nb::cast<std::vector<std::string>>(parts[1]);
  made.value_kind = static_cast<RowForm::Value>(nb::cast<int>(parts[2]));
  made.salt_buckets = nb::cast<uint32_t>(parts[3]);
  return made;
}

void BindRows(nb::module_& module) {
  nb::class_<PythonArray>(module, "Array")
      .def(
          "__arrow_c_array__",
          [](const PythonArray& self, const nb::object&) {
            return ExportArray(self);
          },
          nb::arg("requested_schema") = nb::none())
      .def("__arrow_c_schema__",
           [](const PythonArray& self) {
             const OutputType& type = self.batch->columns[self.column].type();
             return MakeCapsule<ArrowSchema>(
                 "arrow_schema",
                 [&](ArrowSchema* schema) { ExportType(type, schema); });
           })
      .def("__len__",
           [](const PythonArray& self) {
             return self.batch->columns[self.column].length();
           })
      .def_prop_ro("null_count",
                   [](const PythonArray& self) {
                     return self.batch->columns[self.column].null_count();
                   })
      .def("to_pylist", [](const PythonArray& self) {
        return ToList(self.batch->columns[self.column]);
      });
  nb::class_<PythonBatch>(module, "Batch")
      .def(
          "__arrow_c_array__",
          [](const PythonBatch& self, const nb::object&) {
            return ExportBatchOf(self);
          },
          nb::arg("requested_schema") = nb::none())
      .def("__arrow_c_schema__",
           [](const PythonBatch& self) { return ExportTypes(self.types); })
      .def("__len__",
           [](const PythonBatch& self) { return self.batch->length(); })
      .def_prop_ro("names",
                   [](const PythonBatch& self) {
                     std::vector<std::string> names;
                     names.reserve(self.types.size());
                     for (const OutputType& type : self.types) {
                       names.push_back(type.name);
                     }
                     return names;
                   })
      .def("column",
           [](const PythonBatch& self, size_t i) {
             if (i >= self.types.size()) throw nb::index_error();
             return PythonArray{self.batch, i};
           })
      .def("to_pylist",
           [](const PythonBatch& self) { return ToTuples(*self.batch); });
  nb::class_<PythonStream>(module, "Stream")
      .def(
          "__arrow_c_stream__",
          [](PythonStream* self, const nb::object&) {
            return ExportStreamOf(self);
          },
          nb::arg("requested_schema") = nb::none())
      .def("__arrow_c_schema__",
           [](const PythonStream& self) {
             return ExportTypes(self.rows->types());
           })
      .def("__iter__", [](nb::object self) { return self; })
      .def("__next__", &NextBatch);
  module.def("batch_of_tuples", &BatchOfTuples, nb::arg("rows"),
             nb::arg("names"), nb::arg("first_row"), nb::arg("formats"));
  module.def("encode_rows", &EncodeRowsOf, nb::arg("source"), nb::arg("form"));
}

}  // namespace ashlar::python
