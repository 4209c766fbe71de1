// Fuzz target: block cache traces, of RocksDB and of Ashlar.
//
// Whatever the bytes are, the reader ends with the end or an error, and lends
// only bytes that it holds. A file that is cut off is an error.
#include "ashlar/cache/block_cache_trace_reader.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"

namespace ashlar {

namespace {

// Reads every byte, so that the address sanitizer sees which are lent.
void Touch(const Slice& bytes) {
  volatile char byte = 0;
  for (size_t i = 0; i < bytes.size(); ++i) byte = bytes[i];
  static_cast<void>(byte);
}

}  // namespace

}  // namespace ashlar

// Input: the file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::Cost cost(ashlar::fuzz::kCostOfDecoder, size);
  using namespace ashlar;
  fuzz::FuzzInput input(data, size);
  BlockCacheTraceReader reader("t", [&](char* out, size_t n, size_t* got) {
    const Slice bytes = input.Bytes(n);
    for (size_t i = 0; i < bytes.size(); ++i) out[i] = bytes[i];
    *got = bytes.size();
    return Status();
  });
  BlockCacheTraceHeader header;
  Status status = reader.ReadHeader(&header);
  BlockAccess access;
  bool found = status.ok();
  uint64_t lent = 0;
  while (found) {
    status = reader.Next(&access, &found);
    if (!found) break;
    Touch(access.block_key);
    Touch(access.column_family_name);
    Touch(access.referenced_key);
    if (header.format == BlockCacheTraceFormat::kRocksDB) {
      lent += access.block_key.size() + access.column_family_name.size() +
              access.referenced_key.size();
    }
    FUZZ_CHECK(access.level >= BlockAccess::kUnknownLevel);
    FUZZ_CHECK(access.block_bytes <= uint64_t{1} << 40);
    FUZZ_CHECK(!WordFor(access.caller).empty());
    FUZZ_CHECK(!WordFor(access.kind).empty());
  }
  FUZZ_CHECK(lent <= size);
  FUZZ_CHECK(!status.ok() || !reader.is_cut_off());
  return 0;
}
