#include "table/read/level_search.h"

#include <algorithm>
#include <cstring>

#include "table/index/word_tree.h"
#include "table/read/reader_internals.h"

namespace ashlar::internal {

namespace {

const KeyOrder& OrderOf(const TableRange& range) {
  return ReaderInternals::TableOf(*range.table).order_without_timestamps;
}

// Returns whether two keys have the same first n bytes. Requires: both have n.
inline bool SameBytes(const char* a, const char* b, size_t n) {
  constexpr size_t kWord = sizeof(uint64_t);
  if (n < kWord) return std::memcmp(a, b, n) == 0;
  size_t i = 0;
  for (; i + kWord <= n; i += kWord) {
    if (LoadBigEndian64(a + i) != LoadBigEndian64(b + i)) return false;
  }
  return LoadBigEndian64(a + n - kWord) == LoadBigEndian64(b + n - kWord);
}

// A range of keys in an order of bytes, told by what all its keys begin with,
// and the eight bytes after that.
class RangeWords {
 public:
  enum class Is : uint8_t { kInside, kOutside, kUnknown };

  // Requires: order.IsOfBytes(), and the range outlives this.
  RangeWords(const KeyOrder& order, const TableRange& range)
      : order_(order), smallest_(range.smallest) {
    const Slice& largest = range.largest;
    const size_t most = std::min(smallest_.size(), largest.size());
    while (shared_ < most && smallest_[shared_] == largest[shared_]) ++shared_;
    low_ = WordOf(smallest_);
    high_ = WordOf(largest);
  }

  Is Ask(const Slice& key) const {
    if (key.size() < shared_) return Is::kUnknown;
    if (!SameBytes(key.data(), smallest_.data(), shared_)) return Is::kOutside;
    const uint64_t word = WordOf(key);
    if (low_ < word && word < high_) return Is::kInside;
    return word < low_ || word > high_ ? Is::kOutside : Is::kUnknown;
  }

 private:
  uint64_t WordOf(const Slice& key) const {
    return order_.WordOf(WordRun::WordOf(key, shared_));
  }

  const KeyOrder& order_;
  const Slice smallest_;
  size_t shared_ = 0;
  uint64_t low_;
  uint64_t high_;
};

// Returns whether the range ends before the key.
bool EndsBefore(const KeyOrder& order, const TableRange& range,
                const Slice& key) {
  const int at = order.CompareUserKeys(range.largest, key);
  return at < 0 || (at == 0 && range.excludes_largest);
}

}  // namespace

void Candidates::Add(const TableRange& table, uint32_t level, size_t number,
                     const KeySet& keys) {
  for (size_t i = size_; i > 0; --i) {
    if (all_[i - 1].number != number) continue;
    all_[i - 1].keys |= keys;
    return;
  }
  all_[size_++] = {&ReaderInternals::TableOf(*table.table), level,
                   static_cast<uint32_t>(number), keys};
}

// A reader that does not know the order of keys contains all of them: each gets
// the error that it has for reads.
bool LevelSearch::Contains(const KeyOrder& order, const TableRange& range,
                           const Slice& key) {
  if (!order.known()) [[unlikely]]
    return true;
  return order.CompareUserKeys(range.smallest, key) <= 0 &&
         !EndsBefore(order, range, key);
}

bool LevelSearch::Next(const KeySet& keys, Candidates* found) {
  found->Clear();
  for (; level_ < levels_.size(); ++level_, table_ = 0) {
    const TableLevel& level = levels_[level_];
    if (level.sorted && level.tables.size() > 1) {
      FindInSorted(level_, keys, found);
    } else {
      while (found->empty() && table_ < level.tables.size()) {
        FindInTable(level_, table_++, keys, found);
      }
      if (!found->empty()) return true;
    }
    if (!found->empty()) {
      ++level_;
      return true;
    }
  }
  return false;
}

// For a table that is a step by itself.
void LevelSearch::FindInTable(uint32_t level, uint32_t table,
                              const KeySet& keys, Candidates* found) const {
  const TableRange& range = levels_[level].tables[table];
  const KeyOrder& order = OrderOf(range);
  KeySet inside;
  const auto ask = [&](const auto& contains) {
    keys.ForEach([&](size_t k) {
      if (FirstIn(level, k) <= table && contains(user_keys_[k])) inside.Add(k);
    });
  };
  const auto contains = [&](const Slice& key) {
    return Contains(order, range, key);
  };
  if (order.IsOfBytes()) {
    const RangeWords words(order, range);
    ask([&](const Slice& key) {
      const RangeWords::Is is = words.Ask(key);
      return is == RangeWords::Is::kUnknown ? contains(key)
                                            : is == RangeWords::Is::kInside;
    });
  } else {
    ask(contains);
  }
  if (!inside.empty()) found->Add(range, level, table, inside);
}

void LevelSearch::FindInSorted(uint32_t level, const KeySet& keys,
                               Candidates* found) const {
  const std::span<const TableRange> tables = levels_[level].tables;
  if (tables.empty()) return;
  const KeyOrder& order = OrderOf(tables[0]);
  keys.ForEach([&](size_t k) {
    size_t low = FirstIn(level, k);
    if (order.known()) [[likely]] {
      // The first table that does not end before the key.
      size_t high = tables.size();
      while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (EndsBefore(order, tables[middle], user_keys_[k])) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
    }
    if (low < tables.size() && Contains(order, tables[low], user_keys_[k])) {
      KeySet key;
      key.Add(k);
      found->Add(tables[low], level, low, key);
    }
  });
}

const OpenedTable* LevelSearch::Behind(const Candidate& last,
                                       size_t key) const {
  const TableLevel& level = levels_[last.level];
  const size_t behind = size_t{last.number} + 1;
  if (!level.sorted || behind >= level.tables.size()) return nullptr;
  const TableRange& range = level.tables[behind];
  return Contains(OrderOf(range), range, user_keys_[key])
             ? &ReaderInternals::TableOf(*range.table)
             : nullptr;
}

bool LevelSearch::MayFollow(uint32_t level, const KeySet& keys,
                            Candidates* found) const {
  found->Clear();
  const std::span<const TableRange> tables = levels_[level].tables;
  if (!levels_[level].sorted) return false;
  keys.ForEach([&](size_t k) {
    const size_t next = FirstIn(level, k);
    if (next < tables.size() &&
        Contains(OrderOf(tables[next]), tables[next], user_keys_[k])) {
      KeySet key;
      key.Add(k);
      found->Add(tables[next], level, next, key);
    }
  });
  return !found->empty();
}

}  // namespace ashlar::internal
