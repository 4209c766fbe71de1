#include "python/src/arrow_input.h"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace ashlar::python {

namespace nb = nanobind;

namespace {

bool IsOfRows(const ArrowSchema& schema) {
  return schema.format != nullptr && std::string_view(schema.format) == "+s";
}

Slice NameOf(const ArrowSchema& schema) {
  return schema.name == nullptr ? Slice() : Slice(schema.name);
}

// Returns whether arrays of one type are read as those of the other. Members of
// a struct are found by their names; the items of a list may have any.
bool HaveSameTypes(const ArrowSchema& a, const ArrowSchema& b) {
  if (a.format == nullptr || b.format == nullptr ||
      std::string_view(a.format) != b.format || a.n_children != b.n_children ||
      (a.dictionary == nullptr) != (b.dictionary == nullptr)) {
    return false;
  }
  for (int64_t i = 0; i < a.n_children; ++i) {
    if (IsOfRows(a) && NameOf(*a.children[i]) != NameOf(*b.children[i])) {
      return false;
    }
    if (!HaveSameTypes(*a.children[i], *b.children[i])) return false;
  }
  return a.dictionary == nullptr || HaveSameTypes(*a.dictionary, *b.dictionary);
}

// The first one to take a struct owns it. After that it counts as released.
template <typename Struct>
Struct* FromCapsule(nb::handle capsule, const char* name) {
  void* const pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw nb::python_error();
  auto* const owned = static_cast<Struct*>(pointer);
  if (owned->release == nullptr) {
    throw nb::value_error("the Arrow object was used before");
  }
  return owned;
}

}  // namespace

ArrowInput::ArrowInput(const nb::object& source,
                       std::shared_ptr<CallWatch> watch)
    : watch_(std::move(watch)) {
  if (nb::hasattr(source, "__arrow_c_stream__")) {
    const nb::object capsule = source.attr("__arrow_c_stream__")();
    stream_.Take(FromCapsule<ArrowArrayStream>(capsule, "arrow_array_stream"));
    if (stream_.get()->get_schema(stream_.get(), schema_.get()) != 0) {
      const char* const why = stream_.get()->get_last_error(stream_.get());
      throw nb::value_error(why != nullptr ? why : "the stream has no schema");
    }
  } else if (nb::hasattr(source, "__arrow_c_array__")) {
    TakeArray(source);
  } else if (PyIter_Check(source.ptr()) != 0) {
    iterator_ = source;
  } else {
    throw nb::type_error("expected an object with __arrow_c_stream__");
  }
}

void ArrowInput::TakeArray(const nb::object& source) {
  const nb::object pair = source.attr("__arrow_c_array__")();
  if (!nb::isinstance<nb::tuple>(pair) || nb::len(pair) != 2) {
    throw nb::type_error("__arrow_c_array__ did not return a pair");
  }
  ArrowSchema* const schema = FromCapsule<ArrowSchema>(pair[0], "arrow_schema");
  if (schema_.empty()) {
    schema_.Take(schema);
  } else if (!HaveSameTypes(*schema_.get(), *schema)) {
    throw nb::value_error("a batch has other columns than those before it");
  }
  array_.Take(FromCapsule<ArrowArray>(pair[1], "arrow_array"));
  has_array_ = true;
}

const ArrowSchema* ArrowInput::schema() const {
  if (schema_.empty()) return nullptr;
  if (IsOfRows(*schema_.get())) return schema_.get();
  auto* const self = const_cast<ArrowInput*>(this);
  self->row_schema_child_ = self->schema_.get();
  self->row_schema_ = {};
  self->row_schema_.format = "+s";
  self->row_schema_.name = "";
  self->row_schema_.n_children = 1;
  self->row_schema_.children = &self->row_schema_child_;
  return &row_schema_;
}

Status ArrowInput::NextOfStream() {
  array_.Release();
  ArrowArrayStream* const stream = stream_.get();
  const int code = stream->get_next(stream, array_.get());
  if (code != 0) {
    const char* const why = stream->get_last_error(stream);
    const std::string text = std::string("reading the data: ") +
                             (why != nullptr ? why : std::strerror(code));
    if (code == ENOMEM) return Status::MemoryLimit(text);
    return code == EIO ? Status::IOError(text) : Status::InvalidArgument(text);
  }
  has_array_ = !array_.empty();
  return {};
}

Status ArrowInput::NextOfIterator() {
  nb::gil_scoped_acquire gil;
  try {
    const nb::object next = nb::steal(PyIter_Next(iterator_.ptr()));
    if (!next.is_valid()) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      return {};
    }
    TakeArray(next);
    return {};
  } catch (nb::python_error& error) {
    watch_->Keep(error);
    return Status::InvalidArgument(std::string("reading the data: ") +
                                   error.what());
  } catch (const std::exception& error) {
    return Status::InvalidArgument(std::string("reading the data: ") +
                                   error.what());
  }
}

Status ArrowInput::Next(const ArrowArray** batch) {
  *batch = nullptr;
  if (!has_array_ && !stream_.empty()) {
    Status status = NextOfStream();
    if (!status.ok()) return status;
  } else if (!has_array_ && iterator_.is_valid()) {
    Status status = NextOfIterator();
    if (!status.ok()) return status;
  }
  if (!has_array_) return {};
  has_array_ = false;
  if (IsOfRows(*schema_.get())) {
    *batch = array_.get();
    return {};
  }
  row_array_child_ = array_.get();
  row_array_ = {};
  row_array_.length = array_.get()->length;
  row_array_.n_buffers = 1;
  row_array_.buffers = &no_validity_;
  row_array_.n_children = 1;
  row_array_.children = &row_array_child_;
  *batch = &row_array_;
  return {};
}

}  // namespace ashlar::python
