#include "python/src/rows_of_tuples.h"

#include <nanobind/stl/string.h>

#include <utility>

#include "python/src/call_watch.h"

namespace ashlar::python {

namespace nb = nanobind;

namespace {

// The calendar of Python, looked up once a batch.
struct Calendar {
  nb::object date = nb::module_::import_("datetime").attr("date");
  nb::object datetime = nb::module_::import_("datetime").attr("datetime");
  nb::object microseconds =
      nb::module_::import_("ashlar._values").attr("microseconds");
  nb::object days = nb::module_::import_("ashlar._values").attr("days");
};

std::string FormatOf(const Calendar& calendar, nb::handle value) {
  if (nb::isinstance<nb::bytes>(value)) return "z";
  if (PyByteArray_Check(value.ptr()) != 0) return "z";
  if (PyMemoryView_Check(value.ptr()) != 0) return "z";
  if (nb::isinstance<nb::str>(value)) return "u";
  if (nb::isinstance<nb::bool_>(value)) return "b";
  if (nb::isinstance<nb::int_>(value)) return "l";
  if (nb::isinstance<nb::float_>(value)) return "g";
  if (nb::isinstance(value, calendar.datetime)) return "tsu:UTC";
  if (nb::isinstance(value, calendar.date)) return "tdD";
  return {};
}

std::string TypeNameOf(nb::handle value) {
  return nb::cast<std::string>(value.type().attr("__name__"));
}

// Where a value is, for messages.
struct Place {
  std::string ToString() const {
    return "row " + std::to_string(row) + ": column '" + name + "': ";
  }
  uint64_t row;
  const std::string& name;
};

[[noreturn]] void Refuse(const Place& place, const std::string& what) {
  Throw(Status::InvalidArgument(place.ToString() + what), {});
}

void AppendBuffer(nb::handle value, OutputColumn* to) {
  Py_buffer view;
  if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_SIMPLE) != 0) {
    throw nb::python_error();
  }
  to->AppendBytes(
      {static_cast<const char*>(view.buf), static_cast<size_t>(view.len)});
  PyBuffer_Release(&view);
}

void AppendInteger(const Place& place, nb::handle value, OutputColumn* to) {
  int overflow = 0;
  const int64_t number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow != 0) Refuse(place, "the number does not fit into 64 bits");
  to->AppendNumber(number);
}

// A whole number is refused if a float cannot be it: two of them would become
// one key.
void AppendFloat(const Place& place, nb::handle value, OutputColumn* to) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    Refuse(place, "the number does not fit into a float");
  }
  if (PyLong_Check(value.ptr()) != 0) {
    const int is_equal =
        PyObject_RichCompareBool(value.ptr(), nb::float_(number).ptr(), Py_EQ);
    if (is_equal < 0) throw nb::python_error();
    if (is_equal == 0) Refuse(place, "the whole number is not exactly a float");
  }
  to->AppendNumber(number);
}

void AppendValue(const Calendar& calendar, const Place& place, nb::handle value,
                 OutputColumn* to) {
  if (value.is_none()) return to->AppendNull();
  const std::string& format = to->type().format;
  const std::string given = FormatOf(calendar, value);
  const bool is_whole_float = format == "g" && given == "l";
  if (given != format && !is_whole_float) {
    Refuse(place, "a value of type " + TypeNameOf(value) +
                      ", but values before it had another type");
  }
  if (format == "z") {
    AppendBuffer(value, to);
  } else if (format == "u") {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (text == nullptr) throw nb::python_error();
    to->AppendBytes({text, static_cast<size_t>(size)});
  } else if (format == "l") {
    AppendInteger(place, value, to);
  } else if (format == "g") {
    AppendFloat(place, value, to);
  } else if (format == "b") {
    to->AppendBool(nb::cast<bool>(value));
  } else if (format == "tdD") {
    to->AppendNumber(nb::cast<int32_t>(calendar.days(value)));
  } else {
    to->AppendNumber(nb::cast<int64_t>(calendar.microseconds(value)));
  }
}

uint32_t WidthOf(const std::string& format) {
  if (format == "z" || format == "u" || format == "b") return 0;
  return format == "tdD" ? 4 : 8;
}

// The first value that is not None says what a column has.
OutputType FindType(const Calendar& calendar, const nb::list& rows,
                    size_t column, const Place& place) {
  OutputType type;
  type.name = place.name;
  type.is_nullable = true;
  for (size_t i = 0; i < nb::len(rows) && type.format.empty(); ++i) {
    const nb::object value = rows[i][column];
    if (value.is_none()) continue;
    type.format = FormatOf(calendar, value);
    if (type.format.empty()) {
      Refuse({place.row + i, place.name},
             "values of type " + TypeNameOf(value) + " cannot be stored");
    }
  }
  if (type.format.empty()) type.format = "z";
  type.width = WidthOf(type.format);
  return type;
}

}  // namespace

PythonBatch BatchOfTuples(const nb::list& rows,
                          const std::vector<std::string>& names,
                          uint64_t first_row, nb::list formats) {
  const Calendar calendar;
  PythonBatch made;
  auto batch = std::make_shared<OutputBatch>();
  const size_t count = nb::len(rows);
  const bool is_first = nb::len(formats) == 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t width = nb::len(nb::object(rows[i]));
    if (width == names.size()) continue;
    Throw(
        Status::InvalidArgument("row " + std::to_string(first_row + i) + ": " +
                                std::to_string(width) + " values, expected " +
                                std::to_string(names.size())),
        {});
  }
  for (size_t column = 0; column < names.size(); ++column) {
    OutputType type;
    if (is_first) {
      type = FindType(calendar, rows, column, {first_row, names[column]});
      formats.append(nb::str(type.format.c_str()));
    } else {
      type.name = names[column];
      type.format = nb::cast<std::string>(formats[column]);
      type.is_nullable = true;
      type.width = WidthOf(type.format);
    }
    batch->columns.emplace_back(type);
    for (size_t i = 0; i < count; ++i) {
      AppendValue(calendar, {first_row + i, names[column]},
                  nb::object(rows[i][column]), &batch->columns.back());
    }
    made.types.push_back(std::move(type));
  }
  made.batch = std::move(batch);
  return made;
}

}  // namespace ashlar::python
