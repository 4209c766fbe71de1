// Fuzz target: wide-column entities.
#include "ashlar/table/entry/wide_columns.h"

#include <optional>
#include <string>
#include <vector>

#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::Cost cost(ashlar::fuzz::kCostOfDecoder, size);
  using namespace ashlar;
  const Slice entity(reinterpret_cast<const char*>(data), size);
  std::vector<WideColumn> columns;
  const Status status = DecodeWideColumns(entity, &columns);
  std::optional<WideColumn> column;
  FUZZ_CHECK(FindDefaultColumn(entity, &column).ToString() ==
             status.ToString());
  FUZZ_CHECK(status.ok() || columns.empty());
  FUZZ_CHECK(column.has_value() ==
             (!columns.empty() && columns[0].name.empty()));
  if (!status.ok()) return 0;
  std::string encoded;
  FUZZ_CHECK(EncodeWideColumns(columns, &encoded).ok());
  std::vector<WideColumn> again;
  FUZZ_CHECK(DecodeWideColumns(encoded, &again).ok());
  FUZZ_CHECK(again.size() == columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    FUZZ_CHECK(i == 0 || columns[i - 1].name.compare(columns[i].name) < 0);
    FUZZ_CHECK(again[i].name == columns[i].name);
    FUZZ_CHECK(again[i].value == columns[i].value);
    FUZZ_CHECK(again[i].is_blob_index == columns[i].is_blob_index);
  }
  return 0;
}
