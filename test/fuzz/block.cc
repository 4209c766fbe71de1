// Fuzz target: data blocks, iterated forward and backward, with seeks.
//
// If both walks reach their end, they must have found the same entries. Then
// every seek must find what a search of these entries finds.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "table/block/block_iterator.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"

namespace ashlar {

namespace {

using fuzz::FuzzInput;
using internal::BlockIterator;
using internal::BlockPlace;
using internal::BlockView;
using internal::KeyOrder;

using Entries = std::vector<std::pair<std::string, std::string>>;

constexpr size_t kMaxSteps = 64;

void Keep(const BlockIterator& it, Entries* entries) {
  FUZZ_CHECK(it.key().size() >= kInternalKeyTailBytes);
  entries->emplace_back(it.key().ToString(), it.value().ToString());
}

bool WalkForward(BlockIterator* it, Entries* entries) {
  for (bool on = it->SeekToFirst(); on; on = it->Next()) Keep(*it, entries);
  return it->status().ok();
}

bool WalkBackward(BlockIterator* it, Entries* entries) {
  for (bool on = it->SeekToLast(); on; on = it->Prev()) Keep(*it, entries);
  std::reverse(entries->begin(), entries->end());
  return it->status().ok();
}

size_t LowerBound(const KeyOrder& order, const Entries& entries,
                  const Slice& target) {
  size_t i = 0;
  while (i < entries.size() && order.Compare(entries[i].first, target) < 0) ++i;
  return i;
}

void CheckStands(const BlockIterator& it, const Entries& entries, size_t i) {
  FUZZ_CHECK(it.status().ok());
  FUZZ_CHECK(it.Valid() == (i < entries.size()));
  if (!it.Valid()) return;
  FUZZ_CHECK(it.key() == Slice(entries[i].first));
  FUZZ_CHECK(it.value() == Slice(entries[i].second));
}

// Seeks and steps as `moves` says. Compares with `entries` unless it is null.
void Wander(const KeyOrder& order, FuzzInput moves, const Entries& keys,
            const Entries* entries, BlockIterator* it) {
  size_t at = 0;
  for (size_t step = 0; step < kMaxSteps && !moves.empty(); ++step) {
    const uint8_t move = moves.Byte();
    if (move % 4 == 0 || !it->Valid()) {
      std::string target = moves.Bytes(move % 16).ToString();
      if (move >= 0x80 && !keys.empty()) {
        target.insert(0, keys[move % keys.size()].first);
      }
      target.resize(std::max(target.size(), kInternalKeyTailBytes));
      if (move % 8 == 0) {
        it->Seek(target);
      } else {
        it->SeekUserKey(target);
      }
      if (entries != nullptr) at = LowerBound(order, *entries, target);
    } else if (move % 4 == 1) {
      it->Prev();
      at = at == 0 && entries != nullptr ? entries->size() : at - 1;
    } else {
      it->Next();
      ++at;
    }
    if (entries != nullptr) CheckStands(*it, *entries, at);
  }
}

}  // namespace

}  // namespace ashlar

// Input: order; number of bytes of the moves, and the moves; the block.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::Cost cost(ashlar::fuzz::kCostOfDecoder, size);
  using namespace ashlar;
  FuzzInput input(data, size);
  const KeyOrder order(fuzz::BuiltinOrder((input.Byte() & 1) != 0));
  const Slice moves = input.Bytes(input.Byte());
  const BlockPlace place{BlockKind::kData, {}};
  BlockView view;
  if (!internal::ParseBlock(input.rest(), place, &view).ok()) return 0;
  size_t plain = 0;
  const Status walked = internal::ForEachPlainEntry(
      view, place, [&](const Slice&, const Slice& value) -> Status {
        FUZZ_CHECK(value.end() <= view.restarts);
        ++plain;
        return {};
      });
  BlockIterator it(order);
  Entries forward;
  Entries backward;
  it.Reset(view, place);
  const bool forward_ok = WalkForward(&it, &forward);
  FUZZ_CHECK(!forward_ok || (walked.ok() && plain == forward.size()));
  it.Reset(view, place);
  const bool sound = WalkBackward(&it, &backward) && forward_ok;
  if (sound) FUZZ_CHECK(forward == backward);
  it.Reset(view, place);
  Wander(
      order,
      FuzzInput(reinterpret_cast<const uint8_t*>(moves.data()), moves.size()),
      forward, sound ? &forward : nullptr, &it);
  it.Clear();
  return 0;
}
