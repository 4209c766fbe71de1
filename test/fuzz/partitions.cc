// Fuzz target: a partitioned index whose partitions are arbitrary bytes.
#include <algorithm>
#include <string>
#include <vector>

#include "table/index/index_cursor.h"
#include "table/index/two_level_index.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"

namespace ashlar {

namespace {

using internal::BlockPlace;
using internal::IndexCursor;
using internal::IndexForm;
using internal::IndexReader;
using internal::KeyOrder;
using internal::LateIndex;
using internal::LoadIndexBlock;

// Returns all blocks that the cursor visits. Checks that separators ascend.
std::vector<uint64_t> Walk(const LateIndex& index, const KeyOrder& order,
                           bool forward) {
  const IndexForm& form = index.IfLoaded()->form();
  std::vector<uint64_t> offsets;
  IndexCursor at(&index);
  std::string last;
  bool on_block = forward ? at.SeekToFirst() : at.SeekToLast();
  for (; on_block; on_block = forward ? at.Next() : at.Prev()) {
    std::string memory;
    const std::string key = at.separator(&memory).ToString();
    if (!offsets.empty()) {
      const std::string& low = forward ? last : key;
      const std::string& high = forward ? key : last;
      FUZZ_CHECK((form.user_keys ? order.CompareUserKeys(low, high)
                                 : order.Compare(low, high)) < 0);
    }
    last = key;
    offsets.push_back(at.handle().offset);
  }
  if (!at.status().ok()) offsets.clear();
  return offsets;
}

void Find(const LateIndex& index, const Slice& internal_key) {
  IndexCursor at(&index);
  if (!at.Seek(internal_key)) return;
  FUZZ_CHECK(at.CompareSeparator(internal_key) >= 0);
  if (at.Prev()) FUZZ_CHECK(at.CompareSeparator(internal_key) < 0);
}

}  // namespace

}  // namespace ashlar

// Input: form and order; a key; then the top level and the partitions, each
// after its length. The offset of a handle chooses the partition that it refers
// to.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::Cost cost(ashlar::fuzz::kCostOfDecoder, size);
  using namespace ashlar;
  fuzz::FuzzInput input(data, size);
  const uint8_t flags = input.Byte();
  const KeyOrder order(fuzz::BuiltinOrder((flags & 8) != 0));
  std::string key = input.Bytes(input.Byte() % 16).ToString();
  key.append(kInternalKeyTailBytes, '\x01');
  std::vector<Slice> blocks;
  while (!input.empty() && blocks.size() < 64) {
    blocks.push_back(input.Bytes(input.Byte()));
  }
  if (blocks.size() < 2) return 0;
  const LoadIndexBlock load_root = [&](const BlockPlace&, internal::Buffer*,
                                       Slice* contents) {
    *contents = blocks[0];
    return Status();
  };
  const internal::IndexSource source{
      order,
      {(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0},
      uint64_t{1} << 32,
      [&](const BlockPlace& place, internal::Buffer*, Slice* contents) {
        *contents = blocks[1 + place.handle.offset % (blocks.size() - 1)];
        return Status();
      }};
  LateIndex index;
  index.LoadBy([&](std::unique_ptr<const IndexReader>* loaded) {
    std::unique_ptr<IndexReader> opened;
    Status status =
        internal::TwoLevelIndexReader::Open(source, {}, load_root, &opened);
    *loaded = std::move(opened);
    return status;
  });
  const IndexReader* loaded;
  if (!index.Need(&loaded).ok()) return 0;
  Find(index, key);
  const std::vector<uint64_t> forward = Walk(index, order, true);
  std::vector<uint64_t> backward = Walk(index, order, false);
  std::reverse(backward.begin(), backward.end());
  FUZZ_CHECK(forward == backward);
  return 0;
}
