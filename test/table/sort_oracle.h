// Random entries for tests of sorting, and their order by std::stable_sort.
#ifndef ASHLAR_TEST_TABLE_SORT_ORACLE_H_
#define ASHLAR_TEST_TABLE_SORT_ORACLE_H_

#include <algorithm>
#include <string>
#include <vector>

#include "ashlar/table/entry_sorter.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/util/comparator.h"
#include "test/support/random.h"

namespace ashlar::testing {

// An entry that owns its bytes.
struct OwnedEntry {
  std::string key;
  std::string value;
  SequenceNumber sequence = 0;
  ValueType type = ValueType::kTypeValue;
  uint64_t number = 0;

  SortEntry view() const { return {key, value, sequence, type, number}; }
  friend bool operator==(const OwnedEntry&, const OwnedEntry&) = default;
};

inline OwnedEntry Owned(const SortEntry& entry) {
  return {entry.user_key.ToString(), entry.value.ToString(), entry.sequence,
          entry.type, entry.number};
}

// Draws long similar keys, short ones, equal ones and the empty one.
class KeyDraw {
 public:
  explicit KeyDraw(Random* draw)
      : draw_(*draw),
        common_(draw->Bytes(draw->Below(12))),
        numbers_(draw->OneIn(2) ? 40 : 100000) {}

  std::string Next() {
    switch (draw_.Below(20)) {
      case 0:
        return common_.substr(0, draw_.Below(common_.size() + 1));
      case 1:
        // Filled up with zeros, the words of these are equal.
        return common_ + std::string(draw_.Below(12), '\0');
      case 2:
        return common_ + std::string(draw_.Below(300), draw_.Pick("ab\xff"));
      case 3:
        return draw_.Bytes(draw_.Below(20));
      default:
        return common_ + "key" + std::to_string(draw_.Below(numbers_));
    }
  }

 private:
  Random& draw_;
  const std::string common_;
  const uint64_t numbers_;
};

struct DrawnEntries {
  size_t count = 0;
  bool internal_keys = false;
  size_t timestamp_size = 0;
};

inline std::vector<OwnedEntry> DrawEntries(const DrawnEntries& wanted,
                                           Random* draw) {
  constexpr ValueType kTypes[] = {ValueType::kTypeValue, ValueType::kTypeMerge,
                                  ValueType::kTypeDeletion,
                                  ValueType::kTypeSingleDeletion};
  KeyDraw keys(draw);
  std::vector<OwnedEntry> entries(wanted.count);
  uint64_t number = draw->Below(5);
  for (OwnedEntry& entry : entries) {
    entry.key = keys.Next();
    for (size_t i = 0; i < wanted.timestamp_size; ++i) {
      // Few different ones.
      entry.key += i == 0 ? static_cast<char>(draw->Below(4)) : '\0';
    }
    entry.type = draw->Pick(kTypes);
    if (entry.type == ValueType::kTypeValue ||
        entry.type == ValueType::kTypeMerge) {
      entry.value = draw->Text(draw->Below(60));
    }
    if (wanted.internal_keys) entry.sequence = draw->Below(3);
    entry.number = number;
    number += draw->Between(1, 3);
  }
  return entries;
}

inline void SortByOracle(const Comparator& order, bool internal_keys,
                         std::vector<OwnedEntry>* entries) {
  const auto is_before = [&](const OwnedEntry& a, const OwnedEntry& b) {
    const int keys = order.Compare(a.key, b.key);
    if (keys != 0 || !internal_keys) return keys < 0;
    return PackTail(a.sequence, a.type) > PackTail(b.sequence, b.type);
  };
  std::stable_sort(entries->begin(), entries->end(), is_before);
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_TABLE_SORT_ORACLE_H_
