// Fuzz target: footers, unchanged and with a correct checksum.
#include "table/format/footer.h"

#include <cstring>
#include <string>

#include "table/format/block_trailer.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"
#include "test/fuzz/sign_table.h"

namespace ashlar {

namespace {

using internal::Footer;
using internal::kFooterSize;

void CheckDecoded(const Footer& footer, uint64_t file_size) {
  FUZZ_CHECK(footer.format_version <= kMaxFormatVersion);
  FUZZ_CHECK(footer.offset + internal::kLegacyFooterSize <= file_size);
  const bool has_context = footer.traits().has_context_checksums;
  FUZZ_CHECK(has_context == (footer.base_context_checksum != 0));
  if (has_context) {
    FUZZ_CHECK(footer.index.IsNull());
    FUZZ_CHECK(footer.metaindex.FitsBelow(footer.offset));
  }
  if (footer.format_version < kMinFormatVersion) return;
  const std::string coded = internal::EncodeFooter(footer);
  FUZZ_CHECK(coded.size() == kFooterSize);
  Footer again;
  FUZZ_CHECK(internal::DecodeFooter(coded, file_size, &again).ok());
  FUZZ_CHECK(again.format_version == footer.format_version);
  FUZZ_CHECK(again.checksum == footer.checksum);
  FUZZ_CHECK(again.base_context_checksum == footer.base_context_checksum);
  FUZZ_CHECK(again.offset == footer.offset);
  FUZZ_CHECK(again.metaindex == footer.metaindex);
  FUZZ_CHECK(again.index == footer.index);
}

void Check(const Slice& tail, uint64_t file_size) {
  Footer footer;
  if (!internal::DecodeFooter(tail, file_size, &footer).ok()) return;
  CheckDecoded(footer, file_size);
}

}  // namespace

}  // namespace ashlar

// Input: the number of bytes of the file before the rest of the input, up to
// 2^32; the end of the file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::Cost cost(ashlar::fuzz::kCostOfDecoder, size);
  using ashlar::internal::kFooterSize;
  ashlar::fuzz::FuzzInput input(data, size);
  const uint64_t longer = input.Number(sizeof(uint32_t));
  ashlar::Slice tail = input.rest();
  const uint64_t file_size = tail.size() + longer;
  if (tail.size() > kFooterSize) tail.remove_prefix(tail.size() - kFooterSize);
  ashlar::Check(tail, file_size);
  if (tail.size() == kFooterSize && file_size >= kFooterSize) {
    std::string bytes = tail.ToString();
    ashlar::fuzz::SignFooter(file_size - kFooterSize, bytes.data());
    ashlar::Check(bytes, file_size);
  }
  return 0;
}
