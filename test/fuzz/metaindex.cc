// Fuzz target: metaindex blocks.
#include <map>
#include <string>
#include <vector>

#include "table/format/hash_search_names.h"
#include "table/meta/plain_block.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"

namespace ashlar {

namespace {

using internal::BlockHandle;
using internal::BlockPlace;

void CheckEntries(const std::vector<MetaBlockEntry>& entries, uint64_t limit) {
  std::map<std::string, std::string> coded;
  for (const MetaBlockEntry& entry : entries) {
    const BlockHandle handle{entry.offset, entry.size};
    FUZZ_CHECK(handle.FitsBelow(limit));
    // Of blocks that are missing, only this one is listed.
    FUZZ_CHECK(!handle.IsNull() ||
               entry.name == internal::kHashIndexMetadataName);
    FUZZ_CHECK(internal::FindMetaBlock(entries, entry.name) == &entry);
    FUZZ_CHECK(!BlockKindName(internal::MetaBlockKind(entry.name)).empty());
    handle.AppendTo(&coded[entry.name]);
  }
  FUZZ_CHECK(coded.size() == entries.size());
  internal::Buffer block;
  internal::EncodePlainBlock(coded, 1, &block);
  std::vector<MetaBlockEntry> again;
  FUZZ_CHECK(
      internal::DecodeMetaindex(block.slice(), BlockPlace(), limit, &again)
          .ok());
  FUZZ_CHECK(again.size() == entries.size());
  for (size_t i = 0; i < again.size(); ++i) {
    FUZZ_CHECK(again[i].name == entries[i].name);
    FUZZ_CHECK(again[i].offset == entries[i].offset);
    FUZZ_CHECK(again[i].size == entries[i].size);
  }
}

}  // namespace

}  // namespace ashlar

// Input: end of the file; the block.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::Cost cost(ashlar::fuzz::kCostOfDecoder, size);
  using namespace ashlar;
  fuzz::FuzzInput input(data, size);
  const uint64_t limit = input.Number(sizeof(uint32_t));
  std::vector<MetaBlockEntry> entries;
  if (internal::DecodeMetaindex(input.rest(), BlockPlace(), limit, &entries)
          .ok()) {
    CheckEntries(entries, limit);
  }
  return 0;
}
