// Fuzz target: block handles, and the integers that they are made of.
#include "table/format/block_handle.h"

#include <string>

#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"

namespace ashlar {

namespace {

using internal::BlockHandle;
using internal::Decoder;

// Computes with numbers that cannot wrap around.
bool FitsBelow(const BlockHandle& handle, uint64_t limit) {
  const auto wide = [](uint64_t v) { return static_cast<long double>(v); };
  static_assert(__LDBL_MANT_DIG__ >= 64);
  // A sum of three numbers needs more than 64 bits of mantissa only if this
  // first condition already fails.
  if (wide(handle.offset) > wide(limit) || wide(handle.size) > wide(limit)) {
    return false;
  }
  return handle.size <= limit - handle.offset &&
         internal::kBlockTrailerSize <= limit - handle.offset - handle.size;
}

void CheckVarint32(const Slice& bytes) {
  Decoder narrow(bytes);
  Decoder wide(bytes);
  uint32_t v32 = 0;
  uint64_t v64 = 0;
  if (!narrow.Varint32(&v32)) {
    FUZZ_CHECK(narrow.rest().size() == bytes.size());
    return;
  }
  FUZZ_CHECK(wide.Varint64(&v64));
  FUZZ_CHECK(static_cast<uint32_t>(v64) == v32);
  FUZZ_CHECK(narrow.rest().size() == wide.rest().size());
}

void CheckHandle(const Slice& bytes, uint64_t limit) {
  Decoder decoder(bytes);
  BlockHandle handle;
  if (!handle.DecodeFrom(&decoder)) return;
  FUZZ_CHECK(handle.FitsBelow(limit) == FitsBelow(handle, limit));
  std::string coded;
  handle.AppendTo(&coded);
  FUZZ_CHECK(coded.size() <= bytes.size() - decoder.rest().size());
  Decoder again{Slice(coded)};
  BlockHandle same;
  FUZZ_CHECK(same.DecodeFrom(&again));
  FUZZ_CHECK(again.empty());
  FUZZ_CHECK(same == handle);
}

}  // namespace

}  // namespace ashlar

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::Cost cost(ashlar::fuzz::kCostOfDecoder, size);
  ashlar::fuzz::FuzzInput input(data, size);
  const uint64_t limit = input.Number(sizeof(uint64_t));
  ashlar::CheckVarint32(input.rest());
  ashlar::CheckHandle(input.rest(), limit);
  return 0;
}
