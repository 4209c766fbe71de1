#include "python/src/encoded_rows.h"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ashlar::python {

namespace {

// Offsets of the columns have 4 bytes.
constexpr size_t kMostColumnBytes = std::numeric_limits<int32_t>::max();

bool HasRoom(const OutputColumn& column, const Slice& more) {
  return more.size() <= kMostColumnBytes - column.data_bytes();
}

}  // namespace

std::vector<OutputType> EncodedTypes() {
  return {{.name = "key", .format = "z"}, {.name = "value", .format = "z"}};
}

Status EncodeRows(ArrowInput* input, RowMaker* rows,
                  std::shared_ptr<OutputBatch>* encoded) {
  auto filled = std::make_shared<OutputBatch>();
  for (const OutputType& type : EncodedTypes()) {
    filled->columns.emplace_back(type);
  }
  OutputColumn& keys = filled->columns[0];
  OutputColumn& values = filled->columns[1];
  const ArrowArray* batch = nullptr;
  bool is_prepared = false;
  for (;;) {
    Status status = input->Next(&batch);
    if (!status.ok()) return status;
    if (batch == nullptr) break;
    if (!is_prepared) {
      status = rows->Prepare(*input->schema());
      if (!status.ok()) return status;
      is_prepared = true;
    }
    status = rows->ForEach(*batch, [&](const Slice& key, const Slice& value) {
      if (!HasRoom(keys, key) || !HasRoom(values, value)) {
        return Status::InvalidArgument(
            "the rows have more than 2 GiB of keys or of values; pass fewer "
            "rows at once");
      }
      keys.AppendBytes(key);
      values.AppendBytes(value);
      return Status();
    });
    if (!status.ok()) return status;
  }
  *encoded = std::move(filled);
  return {};
}

}  // namespace ashlar::python
