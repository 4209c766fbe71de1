// SortByWord: sorts items by a number of 64 bits that each has, in steps of one
// byte, from the lowest one.
//
// For the places of a buffer's piece, of which most have different words. A
// step takes no comparisons, so its time does not depend on what the processor
// can predict; a byte that all words share costs no step. Items of equal words
// keep their order. Thread-safe: it touches its arguments only.
#ifndef ASHLAR_TABLE_SORT_WORD_SORT_H_
#define ASHLAR_TABLE_SORT_WORD_SORT_H_

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace ashlar::internal {

// An item has a member `word`, and can be copied like bytes. Requires: there is
// as much room as there are items. What is in `room` afterwards means nothing.
template <typename Item>
void SortByWord(std::span<Item> items, std::span<Item> room) {
  constexpr size_t kSteps = sizeof(uint64_t);
  constexpr size_t kBytes = 256;
  assert(room.size() == items.size());
  if (items.empty()) return;
  const auto byte = [](uint64_t word, size_t step) {
    return static_cast<size_t>(word >> (8 * step) & (kBytes - 1));
  };
  // How many words have each byte at each place; all steps move the same items.
  std::array<std::array<size_t, kBytes>, kSteps> counts = {};
  for (const Item& item : items) {
    for (size_t step = 0; step < kSteps; ++step) {
      ++counts[step][byte(item.word, step)];
    }
  }
  std::span<Item> from = items;
  std::span<Item> to = room;
  for (size_t step = 0; step < kSteps; ++step) {
    std::array<size_t, kBytes>& next = counts[step];
    if (next[byte(items[0].word, step)] == items.size()) continue;
    size_t before = 0;
    for (size_t& count : next) before += std::exchange(count, before);
    for (const Item& item : from) to[next[byte(item.word, step)]++] = item;
    std::swap(from, to);
  }
  if (from.data() == items.data()) return;
  for (size_t i = 0; i < items.size(); ++i) items[i] = from[i];
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SORT_WORD_SORT_H_
