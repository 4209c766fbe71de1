// Fuzz target: types and arrays of Arrow's C data interface.
//
// The input makes a schema and an array of any shape. Buffers have the sizes
// that a producer must give them, and no byte more, so that the address
// sanitizer sees a read that the checks should have prevented.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "test/fuzz/fuzz_input.h"
#include "test/tools/arrow/made_array.h"
#include "tools/arrow/column.h"
#include "tools/arrow/value_text.h"

namespace ashlar::arrow {

namespace {

using fuzz::FuzzInput;
using testing::MadeArray;
using testing::MadeSchema;

constexpr int64_t kMostValues = 64;
constexpr int64_t kMostBytes = 4096;
constexpr size_t kMostJson = size_t{1} << 16;

constexpr const char* kFormats[] = {
    "n",   "b",    "c",       "S",   "i",   "L",    "e",     "f",         "g",
    "u",   "U",    "vu",      "z",   "Z",   "vz",   "tdD",   "tdm",       "tts",
    "ttn", "tss:", "tsn:UTC", "tDu", "w:3", "w:0",  "d:9,2", "d:9,-3,64", "+l",
    "+L",  "+vl",  "+vL",     "+s",  "+m",  "+w:2", "+w:0"};

// Bytes of a buffer: from the input, as long as it has some.
std::string Take(FuzzInput* input, int64_t count) {
  std::string bytes(static_cast<size_t>(count), '\0');
  const Slice taken = input->Bytes(bytes.size());
  if (!taken.empty()) std::memcpy(bytes.data(), taken.data(), taken.size());
  return bytes;
}

// Returns the last offset: how many bytes a producer must have.
int64_t EndOf(const std::string& offsets, size_t width) {
  int64_t end = 0;
  int32_t short_end = 0;
  const char* const last = offsets.data() + offsets.size() - width;
  if (width == sizeof end) {
    std::memcpy(&end, last, sizeof end);
    return end;
  }
  std::memcpy(&short_end, last, sizeof short_end);
  return short_end;
}

struct Made {
  std::unique_ptr<MadeSchema> schema;
  std::unique_ptr<MadeArray> array;
  bool is_usable = true;
};

// Returns false if a producer would need more bytes than a test should take.
bool AddBuffers(const std::string& format, int64_t all, FuzzInput* input,
                MadeArray* array) {
  if (format == "n") return true;
  const bool has_nulls = (input->Byte() & 1) != 0;
  if (has_nulls) {
    array->Bytes(Take(input, (all + 7) / 8));
  } else {
    array->NoBuffer();
  }
  if (format == "+s" || format.starts_with("+w")) return true;
  if (format.starts_with("v")) {
    array->Bytes(Take(input, 16 * all));
    array->Bytes(Take(input, 40));
    array->Numbers<int64_t>({40});
    return true;
  }
  const bool is_long =
      format == "U" || format == "Z" || format == "+L" || format == "+vL";
  const int64_t width = is_long ? 8 : 4;
  if (format.starts_with("+v")) {
    array->Bytes(Take(input, width * all));
    array->Bytes(Take(input, width * all));
    return true;
  }
  if (format[0] == '+' || format == "u" || format == "U" || format == "z" ||
      format == "Z") {
    const std::string offsets = Take(input, width * (all + 1));
    array->Bytes(offsets);
    if (format[0] == '+') return true;
    const int64_t end = EndOf(offsets, static_cast<size_t>(width));
    if (end > kMostBytes) return false;
    array->Bytes(Take(input, std::max<int64_t>(end, 0)));
    return true;
  }
  ArrowType type;
  MadeSchema schema(format);
  FUZZ_CHECK(ParseArrowType(*schema.get(), &type).ok());
  array->Bytes(Take(input, format == "b" ? (all + 7) / 8 : type.width * all));
  return true;
}

Made Make(FuzzInput* input, int depth) {
  const uint8_t choice = input->Byte();
  const std::string format = kFormats[choice % std::size(kFormats)];
  const auto length = static_cast<int64_t>(input->Byte()) % kMostValues;
  const auto offset = static_cast<int64_t>(input->Byte()) % 4;
  Made made = {std::make_unique<MadeSchema>(format),
               std::make_unique<MadeArray>(length, offset)};
  made.is_usable = AddBuffers(format, length + offset, input, made.array.get());
  if (depth == 0) return made;
  const bool is_pair = format == "+s" || format == "+m";
  for (int i = 0; format[0] == '+' && i < (is_pair ? 2 : 1); ++i) {
    Made child = Make(input, depth - 1);
    made.is_usable = made.is_usable && child.is_usable;
    made.schema->Child(std::move(child.schema));
    made.array->Child(std::move(child.array));
    if (format == "+m") break;
  }
  const bool is_index = format == "c" || format == "S" || format == "L";
  if (is_index && (input->Byte() & 1) != 0) {
    Made values = Make(input, depth - 1);
    made.is_usable = made.is_usable && values.is_usable;
    made.schema->Dictionary(std::move(values.schema));
    made.array->Dictionary(std::move(values.array));
  }
  return made;
}

void Check(FuzzInput input) {
  constexpr int kDepth = 4;
  const Made made = Make(&input, kDepth);
  ArrowType type;
  if (!made.is_usable || !ParseArrowType(*made.schema->get(), &type).ok()) {
    return;
  }
  FUZZ_CHECK(!TypeName(type).empty());
  Column column;
  const int64_t length = made.array->get()->length;
  if (!column.Bind(type, *made.array->get(), 0, length).ok()) return;
  for (int64_t row = 0; row < length; ++row) {
    std::string text;
    std::string reason;
    const Cell cell = column.At(row);
    if (!AppendJson(cell, &text, &reason, kMostJson)) {
      FUZZ_CHECK(!reason.empty());
    }
    text.clear();
    const bool is_long = !cell.IsNull() && cell.column->type().IsNested();
    if (!cell.IsNull() && !is_long) AppendText(cell, &text, &reason);
  }
}

}  // namespace

}  // namespace ashlar::arrow

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ashlar::arrow::Check(ashlar::fuzz::FuzzInput(data, size));
  return 0;
}
