#include "python/src/option_values.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "ashlar/table/entry/table_identity.h"
#include "ashlar/table/option_table.h"
#include "ashlar/util/checksum_type.h"
#include "ashlar/util/compression.h"
#include "python/src/call_watch.h"

namespace ashlar::python {

namespace nb = nanobind;

namespace {

[[noreturn]] void Refuse(const std::string& text) {
  Throw(Status::InvalidArgument(text), {});
}

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

// A name of an enumerator may be in any case, and without its `k`.
OptionValue NumberOf(std::string_view option, const OptionBounds& bounds,
                     const std::string& name) {
  if (option == "compression") {
    const auto codec = ParseCompressionType(name);
    Check(codec.status());
    return static_cast<uint32_t>(*codec);
  }
  if (option == "checksum") {
    const auto checksum = ParseChecksumType(name);
    Check(checksum.status());
    return static_cast<uint32_t>(*checksum);
  }
  for (size_t i = 0; i < bounds.names.size(); ++i) {
    const std::string_view known = bounds.names[i];
    if (EqualIgnoringCase(name, known) ||
        EqualIgnoringCase(name, known.substr(1))) {
      return static_cast<uint32_t>(i);
    }
  }
  std::string text =
      std::string(option) + ": '" + name + "' is no value; expected";
  for (const std::string_view known : bounds.names) {
    text += " " + std::string(known);
  }
  Refuse(text);
}

// `text` keeps the bytes of a value that is a text.
OptionValue ValueOf(std::string_view option, OptionKind kind,
                    const OptionBounds& bounds, nb::handle value,
                    std::string* text) {
  if (value.is_none()) return {};
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
  if (nb::isinstance<nb::str>(value)) {
    *text = nb::cast<std::string>(value);
    if (kind != OptionKind::kText) return NumberOf(option, bounds, *text);
    return std::string_view(*text);
  }
  if (nb::isinstance<nb::int_>(value)) {
    if (kind == OptionKind::kDouble) return nb::cast<double>(value);
    int overflow = 0;
    const long long number =
        PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow > 0) return nb::cast<uint64_t>(value);
    if (overflow < 0 || number < INT32_MIN) {
      Refuse(std::string(option) + ": the number is too small");
    }
    if (number < 0) return static_cast<int>(number);
    return static_cast<uint64_t>(number);
  }
  if (nb::isinstance<nb::float_>(value)) return nb::cast<double>(value);
  Refuse(std::string(option) + ": expected a bool, a number or a text");
}

template <typename Options>
bool SetIfKnown(std::span<const OptionRow<Options>> rows, std::string_view name,
                nb::handle value, Options* options) {
  const OptionRow<Options>* const row = FindOption(rows, name);
  if (row == nullptr) return false;
  std::string text;
  const OptionValue wanted =
      ValueOf(name, row->member.kind, row->member.bounds, value, &text);
  const Status status = SetOption(*row, wanted, options);
  if (!status.ok()) {
    const bool is_named = status.message().find(name) != std::string::npos;
    Throw(is_named ? status : status.WithPrefix(name), {});
  }
  return true;
}

[[noreturn]] void RefuseName(const std::string& name) {
  Refuse("there is no option '" + name +
         "'; docs/python.md says what there is");
}

std::map<std::string, std::string> PropertiesOf(nb::handle value) {
  std::map<std::string, std::string> properties;
  const auto bytes_of = [](nb::handle text) {
    if (nb::isinstance<nb::str>(text)) return nb::cast<std::string>(text);
    if (!nb::isinstance<nb::bytes>(text)) {
      Refuse("user_properties: expected a dict of texts or bytes");
    }
    const auto bytes = nb::borrow<nb::bytes>(text);
    return std::string(bytes.c_str(), bytes.size());
  };
  if (!nb::isinstance<nb::dict>(value)) {
    Refuse("user_properties: expected a dict of texts or bytes");
  }
  for (const auto& [name, text] : nb::borrow<nb::dict>(value)) {
    properties[bytes_of(name)] = bytes_of(text);
  }
  return properties;
}

}  // namespace

void SetWriteOptions(const nb::dict& given, TableOptions* table,
                     BuildOptions* build) {
  build->external_file = true;
  // All processors help, as they do for the program.
  build->parallel_threads = 0;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(nb::str(key));
    if (name == "user_properties") {
      build->user_properties = PropertiesOf(value);
    } else if (name == "identity") {
      const std::string seed = nb::cast<std::string>(nb::str(value));
      build->identity = FixedTableIdentity(seed, 0);
    } else if (!SetIfKnown(TableOptionRows(), name, value, table) &&
               !SetIfKnown(BuildOptionRows(), name, value, build)) {
      RefuseName(name);
    }
  }
  Check(table->Validate());
}

void SetReadOptions(const nb::dict& given, ReaderOptions* reader) {
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(nb::str(key));
    if (!SetIfKnown(ReaderOptionRows(), name, value, reader)) RefuseName(name);
  }
}

}  // namespace ashlar::python
