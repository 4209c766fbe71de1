// Fuzz target: range deletion blocks, and the range deletion list made from
// them.
#include <algorithm>
#include <functional>
#include <vector>

#include "table/meta/range_del_block.h"
#include "table/meta/range_del_fragments.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"

namespace ashlar {

namespace {

using internal::BlockPlace;
using internal::KeyOrder;
using internal::RangeDeletionFragments;
using internal::RangeDeletionList;

// The simplest implementation: looks at every range deletion.
std::vector<SequenceNumber> SequencesOver(const RangeDeletionList& list,
                                          const KeyOrder& order,
                                          const Slice& key) {
  std::vector<SequenceNumber> sequences;
  for (const RangeDeletion& deletion : list.entries) {
    if (order.CompareUserKeys(deletion.begin, key) <= 0 &&
        order.CompareUserKeys(key, deletion.end) < 0) {
      sequences.push_back(deletion.sequence);
    }
  }
  std::sort(sequences.begin(), sequences.end(), std::greater<>());
  sequences.erase(std::unique(sequences.begin(), sequences.end()),
                  sequences.end());
  return sequences;
}

SequenceNumber NewestOver(const RangeDeletionFragments& fragments,
                          const Slice& key, SequenceNumber snapshot) {
  return fragments.NewestOver(key, snapshot, Slice()).sequence;
}

void CheckKey(const RangeDeletionFragments& fragments,
              const RangeDeletionList& list, const KeyOrder& order,
              const Slice& key) {
  const std::vector<SequenceNumber> over = SequencesOver(list, order, key);
  const SequenceNumber newest = over.empty() ? 0 : over[0];
  FUZZ_CHECK(NewestOver(fragments, key, kMaxSequenceNumber) == newest);
  for (size_t i = 0; i < over.size(); ++i) {
    FUZZ_CHECK(NewestOver(fragments, key, over[i]) == over[i]);
    if (over[i] == 0) continue;
    const SequenceNumber older = i + 1 < over.size() ? over[i + 1] : 0;
    FUZZ_CHECK(NewestOver(fragments, key, over[i] - 1) == older);
  }
  const size_t at = fragments.Find(key);
  if (at >= fragments.size()) {
    FUZZ_CHECK(over.empty());
    return;
  }
  RangeDeletionFragment listed;
  fragments.ListAt(at, &listed);
  FUZZ_CHECK(listed.sequences == over);
}

void CheckList(const RangeDeletionList& list, const KeyOrder& order) {
  constexpr size_t kMostCompared = 100;
  RangeDeletionFragments fragments(order);
  FUZZ_CHECK(fragments.Build(list.entries, BlockPlace()).ok());
  for (size_t i = 0; i < fragments.size(); ++i) {
    FUZZ_CHECK(order.CompareUserKeys(fragments.begin(i), fragments.end(i)) < 0);
  }
  if (list.entries.size() > kMostCompared) return;
  for (const RangeDeletion& deletion : list.entries) {
    CheckKey(fragments, list, order, deletion.begin);
    CheckKey(fragments, list, order, deletion.end);
    CheckKey(fragments, list, order, deletion.begin.ToString() + '\0');
  }
  CheckKey(fragments, list, order, Slice());
}

}  // namespace

}  // namespace ashlar

// Input: order of the keys; the block.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::Cost cost(ashlar::fuzz::kCostOfDecoder, size);
  using namespace ashlar;
  fuzz::FuzzInput input(data, size);
  const KeyOrder order(fuzz::BuiltinOrder(input.Byte() % 2 == 1));
  RangeDeletionList list;
  if (DecodeRangeDeletions(input.rest(), BlockPlace(), {}, &list).ok()) {
    CheckList(list, order);
  }
  return 0;
}
