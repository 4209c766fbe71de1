// The writers as objects of Python.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "python/src/bindings.h"
#include "python/src/python_rows.h"
#include "python/src/set_writer.h"
#include "python/src/table_writer.h"

namespace ashlar::python {

namespace nb = nanobind;

void BindWriters(nb::module_& module) {
  nb::class_<TableWriter>(module, "TableWriter")
      .def(nb::init<const std::string&, const nb::object&, const nb::dict&,
                    bool, bool>(),
           nb::arg("name"), nb::arg("file").none(), nb::arg("options"),
           nb::arg("overwrite"), nb::arg("sync"))
      .def("put", &TableWriter::Put)
      .def("delete", &TableWriter::Delete)
      .def("merge", &TableWriter::Merge)
      .def("delete_range", &TableWriter::DeleteRange)
      .def(
          "put_rows",
          [](TableWriter* self, const nb::object& source,
             const nb::object& form, const nb::object& progress) {
            return self->PutRows(source, FormOf(form), progress);
          },
          nb::arg("source"), nb::arg("form"), nb::arg("progress").none())
      .def("finish", &TableWriter::Finish)
      .def("abandon", &TableWriter::Abandon)
      .def_prop_ro("entries", &TableWriter::entries)
      .def_prop_ro("file_size", &TableWriter::file_size);
  nb::class_<SetWriter>(module, "SetWriter")
      .def(nb::init<const std::string&, const nb::object&, const nb::dict&,
                    const nb::dict&>(),
           nb::arg("name"), nb::arg("outputs").none(), nb::arg("options"),
           nb::arg("settings"))
      .def(
          "add_rows",
          [](SetWriter* self, const nb::object& source, const nb::object& form,
             const nb::object& progress) {
            self->AddRows(source, FormOf(form), progress);
          },
          nb::arg("source"), nb::arg("form"), nb::arg("progress").none())
      .def("finish", &SetWriter::Finish, nb::arg("progress").none())
      .def("abandon", &SetWriter::Abandon);
}

}  // namespace ashlar::python
