// Fuzz target: index blocks, in every form.
#include <string>

#include "table/index/index_entries.h"
#include "table/index/parsed_index.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"

namespace ashlar {

namespace {

using internal::BlockPlace;
using internal::BlockView;
using internal::IndexEntry;
using internal::IndexForm;
using internal::KeyOrder;
using internal::ParsedIndex;

void CheckParsed(const ParsedIndex& index, const KeyOrder& order,
                 const IndexForm& form, uint64_t limit) {
  FUZZ_CHECK(index.Find(std::string(kInternalKeyTailBytes, '\0')) <=
             index.size());
  for (size_t i = 0; i < index.size(); ++i) {
    FUZZ_CHECK(index.handle(i).FitsBelow(limit));
    std::string memory;
    std::string key = index.separator(i, &memory).ToString();
    if (i > 0) {
      const Slice last = index.separator(i - 1, &memory);
      FUZZ_CHECK((form.user_keys ? order.CompareUserKeys(last, key)
                                 : order.Compare(last, key)) < 0);
    }
    if (form.user_keys) {
      key = MakeInternalKey(key, 1, ValueType::kTypeValue);
    }
    FUZZ_CHECK(index.Find(key) == i);
    FUZZ_CHECK((index.CompareSeparator(i, key) == 0) == !form.user_keys);
    if (form.first_keys) FUZZ_CHECK(index.Find(index.first_key(i)) == i);
  }
}

}  // namespace

}  // namespace ashlar

// Input: form and order; end of the file; the block.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::Cost cost(ashlar::fuzz::kCostOfDecoder, size);
  using namespace ashlar;
  fuzz::FuzzInput input(data, size);
  const uint8_t flags = input.Byte();
  const IndexForm form{(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0};
  const KeyOrder order(fuzz::BuiltinOrder((flags & 8) != 0));
  const uint64_t limit = input.Number(sizeof(uint32_t));
  const BlockPlace place;
  size_t entries = 0;
  BlockView view;
  bool walked = internal::ParseBlock(input.rest(), place, &view).ok();
  if (walked) {
    walked = internal::ForEachIndexEntry(
                 view, place, form,
                 [&](const Slice&, const IndexEntry&) -> Status {
                   ++entries;
                   return {};
                 })
                 .ok();
  }
  ParsedIndex index(order, form);
  const Status parsed = index.Parse(input.rest(), place, limit);
  if (walked) {
    // The walk that finds the message goes by the same rules.
    const Status fault = internal::FindFault(view, place, {order, form, limit});
    FUZZ_CHECK(parsed.ToString() == fault.ToString());
  }
  if (!parsed.ok()) return 0;
  FUZZ_CHECK(walked && entries == index.size());
  // A word and the end of the block.
  constexpr size_t kLeast = sizeof(uint64_t) + 3;
  FUZZ_CHECK(index.MemoryUsage() >= entries * kLeast);
  CheckParsed(index, order, form, limit);
  return 0;
}
