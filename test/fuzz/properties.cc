// Fuzz target: properties blocks, and the rules about their contents.
#include <string>

#include "table/meta/properties_block.h"
#include "table/read/opened_table.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"

namespace ashlar {

namespace {

using internal::BlockPlace;
using internal::Buffer;

void CheckRules(const TableProperties& properties) {
  for (const internal::FormatTraits& traits : internal::kFormatTraits) {
    internal::DeclaredCompression declared;
    if (internal::DecodeCompressionProperty(properties, traits, &declared)
            .ok()) {
      FUZZ_CHECK(declared.Allows(0));
    }
    internal::DeclaredCompression checked;
    static_cast<void>(internal::CheckProperties(properties, traits, &checked));
  }
  const Comparator* chosen = nullptr;
  if (internal::ChooseComparator(properties, nullptr, &chosen).ok()) {
    FUZZ_CHECK(chosen != nullptr);
  }
}

// Encoding the properties keeps everything that was read of them.
void CheckEncoding(const TableProperties& properties) {
  Buffer once;
  internal::EncodeProperties(properties, &once);
  TableProperties again;
  FUZZ_CHECK(
      internal::DecodeProperties(once.slice(), BlockPlace(), &again).ok());
  Buffer twice;
  internal::EncodeProperties(again, &twice);
  FUZZ_CHECK(once.slice() == twice.slice());
  FUZZ_CHECK(again.user_collected_properties ==
             properties.user_collected_properties);
  FUZZ_CHECK(again.num_entries == properties.num_entries);
  FUZZ_CHECK(again.comparator_name == properties.comparator_name);
}

}  // namespace

}  // namespace ashlar

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::Cost cost(ashlar::fuzz::kCostOfDecoder, size);
  using namespace ashlar;
  const Slice contents = fuzz::FuzzInput(data, size).rest();
  const size_t seqno_at = internal::FindGlobalSeqno(contents);
  FUZZ_CHECK(seqno_at == 0 ||
             (seqno_at < size && size - seqno_at >= sizeof(uint64_t)));
  TableProperties properties;
  if (!internal::DecodeProperties(contents, BlockPlace(), &properties).ok()) {
    return 0;
  }
  CheckRules(properties);
  CheckEncoding(properties);
  return 0;
}
