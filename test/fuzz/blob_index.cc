// Fuzz target: blob indexes, and values with preferred sequence numbers.
#include "ashlar/table/entry/blob_index.h"

#include <string>

#include "ashlar/table/entry/timed_value.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::Cost cost(ashlar::fuzz::kCostOfDecoder, size);
  using namespace ashlar;
  const Slice bytes(reinterpret_cast<const char*>(data), size);
  BlobIndex index;
  if (DecodeBlobIndex(bytes, &index).ok()) {
    FUZZ_CHECK(index.inlined_value.size() < size);
    FUZZ_CHECK(index.kind == BlobIndex::Kind::kInlinedTtl ||
               index.inlined_value.empty());
    FUZZ_CHECK(index.kind != BlobIndex::Kind::kBlob || index.expiration == 0);
  }
  TimedValue timed;
  const bool is_timed = DecodeTimedValue(bytes, &timed).ok();
  FUZZ_CHECK(is_timed == (size >= sizeof(uint64_t)));
  if (!is_timed) return 0;
  std::string again;
  AppendTimedValue(timed, &again);
  FUZZ_CHECK(bytes == Slice(again));
  return 0;
}
