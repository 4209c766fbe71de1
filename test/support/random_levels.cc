#include "test/support/random_levels.h"

#include <algorithm>
#include <utility>

#include "ashlar/util/prefix_extractor.h"
#include "test/support/random_table.h"

namespace ashlar::testing {

namespace {

constexpr uint64_t kKeys = 60;

std::string KeyOf(uint64_t i) {
  std::string key = "k" + std::to_string(i % 7);
  if (i % 5 == 0) key += "/long/part/of/a/key/" + std::to_string(i / 7);
  return key + std::to_string(i);
}

TableOptions AnyOptions(const Comparator* comparator, Random* random) {
  constexpr uint64_t kBlockSizes[] = {1, 64, 300, 4096};
  constexpr FilterType kFilters[] = {FilterType::kNone, FilterType::kBloom,
                                     FilterType::kBloom, FilterType::kRibbon};
  constexpr IndexType kIndexes[] = {
      IndexType::kBinarySearch, IndexType::kBinarySearch,
      IndexType::kBinarySearchWithFirstKey, IndexType::kTwoLevelIndexSearch};
  TableOptions options;
  options.comparator = comparator;
  options.block_size = random->Pick(kBlockSizes);
  options.block_restart_interval = static_cast<int>(random->Between(1, 16));
  options.index_type = random->Pick(kIndexes);
  options.filter = random->Pick(kFilters);
  // Few bits: filters are wrong now and then.
  options.bloom_bits_per_key = random->OneIn(2) ? 10 : 2;
  if (options.index_type == IndexType::kTwoLevelIndexSearch) {
    options.metadata_block_size = random->Between(1, 200);
    options.partition_filters = random->OneIn(2);
  }
  if (random->OneIn(4)) {
    options.prefix_extractor = NewFixedPrefixExtractor(2);
    options.whole_key_filtering = random->OneIn(2);
  }
  options.compression = random->OneIn(2) ? CompressionType::kNoCompression
                                         : DefaultCompressionType();
  return options;
}

}  // namespace

RandomLevels::RandomLevels(Random* random) {
  const Comparator* const comparators[] = {
      BytewiseComparator(),          BytewiseComparator(),
      ReverseBytewiseComparator(),   ShorterFirstComparator(),
      BytewiseComparatorWithU64Ts(), BytewiseComparator()};
  comparator_ = random->Pick(comparators);
  has_merges_ = random->OneIn(2);
  has_range_deletions_ = random->OneIn(2);
  MakeWrites(random);
  // Cuts the writes into ages, from the newest.
  size_t end = writes_.size();
  const auto take = [&](size_t most) {
    const size_t n = std::min<size_t>(end, random->Below(most + 1));
    end -= n;
    return std::vector<Write>(
        writes_.begin() + static_cast<ptrdiff_t>(end),
        writes_.begin() + static_cast<ptrdiff_t>(end + n));
  };
  levels_.emplace_back();
  for (uint64_t i = random->Below(5); i > 0; --i) {
    const std::vector<Write> writes = take(80);
    if (!writes.empty()) {
      levels_.back().tables.push_back(BuildOf(writes, random));
    }
  }
  for (uint64_t i = random->Below(4); i > 0; --i) {
    AddSortedLevel(take(200), random);
  }
  // What is left is in no table: the engine has dropped it.
  writes_.erase(writes_.begin(), writes_.begin() + static_cast<ptrdiff_t>(end));
}

void RandomLevels::MakeWrites(Random* random) {
  constexpr ValueType kTypes[] = {
      ValueType::kTypeValue,        ValueType::kTypeValue,
      ValueType::kTypeValue,        ValueType::kTypeMerge,
      ValueType::kTypeMerge,        ValueType::kTypeDeletion,
      ValueType::kTypeRangeDeletion};
  for (uint64_t i = random->Below(600); i > 0; --i) {
    Write write;
    write.type = random->Pick(kTypes);
    write.key = KeyOf(random->Below(kKeys));
    if (write.type == ValueType::kTypeMerge && !has_merges_) {
      write.type = ValueType::kTypeValue;
    }
    if (write.type == ValueType::kTypeRangeDeletion) {
      if (!has_range_deletions_ || !random->OneIn(4)) continue;
      write.end = KeyOf(random->Below(kKeys));
      if (Less(write.end, write.key)) std::swap(write.key, write.end);
      if (!Less(write.key, write.end)) continue;
    }
    write.sequence = ++last_sequence_;
    write.timestamp = TimestampAt(write.sequence);
    if (write.type == ValueType::kTypeValue ||
        write.type == ValueType::kTypeMerge) {
      write.value = "v" + std::to_string(write.sequence) +
                    random->Text(random->Below(40));
    }
    writes_.push_back(std::move(write));
  }
}

std::string RandomLevels::TimestampAt(SequenceNumber sequence) const {
  return timestamp_size() == 0 ? std::string() : EncodeU64Ts(sequence / 3);
}

std::string RandomLevels::AnyKey(Random* random) const {
  std::string key = KeyOf(random->Below(kKeys));
  if (random->OneIn(8)) key.push_back('\0');
  if (random->OneIn(8)) key.pop_back();
  return key;
}

std::string RandomLevels::AnyTimestamp(Random* random) const {
  if (timestamp_size() == 0 || random->OneIn(3)) return "";
  return TimestampAt(random->Below(last_sequence_ + 2));
}

bool RandomLevels::Covers(const Write& write, const Slice& key) const {
  return write.type == ValueType::kTypeRangeDeletion && !Less(key, write.key) &&
         Less(key, write.end);
}

RandomLevels::Table RandomLevels::BuildOf(const std::vector<Write>& writes,
                                          Random* random) {
  Table table;
  std::vector<Entry> entries;
  const auto add_bound = [&](const std::string& key, bool excluded) {
    if (entries.empty() || Less(key, table.smallest)) table.smallest = key;
    if (entries.empty() || Less(table.largest, key)) {
      table.largest = key;
      table.excludes_largest = excluded;
    } else if (!Less(key, table.largest) && !excluded) {
      table.excludes_largest = false;
    }
  };
  for (const Write& write : writes) {
    const bool is_range = write.type == ValueType::kTypeRangeDeletion;
    add_bound(write.key, false);
    const auto [begin, end] = write.stored.value_or(
        std::pair<std::string, std::string>(write.key, write.end));
    entries.push_back(
        {MakeInternalKey(begin + write.timestamp, write.sequence, write.type),
         is_range ? end + write.timestamp : write.value});
    if (is_range) add_bound(write.end, true);
  }
  std::sort(entries.begin(), entries.end(),
            [&](const Entry& a, const Entry& b) {
              const int order =
                  comparator_->Compare(UserKeyOf(a.key), UserKeyOf(b.key));
              return order != 0 ? order < 0 : TailOf(a.key) > TailOf(b.key);
            });
  table.bytes = BuildTable(AnyOptions(comparator_, random), entries,
                           FixedBuild("table " + std::to_string(tables_++)));
  return table;
}

// Cuts the writes at random keys. A range deletion goes to each table that it
// is over: whole or cut. Sometimes a table gets only the newer versions of its
// last key, and the next one the older ones.
void RandomLevels::AddSortedLevel(const std::vector<Write>& writes,
                                  Random* random) {
  Level& level = levels_.emplace_back();
  level.sorted = true;
  std::vector<std::string> cuts;
  for (uint64_t i = random->Below(6); i > 0; --i) {
    cuts.push_back(KeyOf(random->Below(kKeys)));
  }
  std::sort(cuts.begin(), cuts.end(),
            [&](const auto& a, const auto& b) { return Less(a, b); });
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<Write> spill;  // older versions of the last key before
  for (size_t i = 0; i <= cuts.size(); ++i) {
    const std::string* const low = i == 0 ? nullptr : &cuts[i - 1];
    const std::string* const high = i == cuts.size() ? nullptr : &cuts[i];
    std::vector<Write> mine = std::exchange(spill, {});
    bool has_ranges = false;
    for (Write write : writes) {
      if (write.type == ValueType::kTypeRangeDeletion) {
        if (high != nullptr && !Less(write.key, *high)) continue;
        if (low != nullptr && !Less(*low, write.end)) continue;
        if (random->OneIn(2)) write.stored = {{write.key, write.end}};
        if (low != nullptr && Less(write.key, *low)) write.key = *low;
        if (high != nullptr && Less(*high, write.end)) write.end = *high;
        has_ranges = true;
      } else if ((low != nullptr && Less(write.key, *low)) ||
                 (high != nullptr && !Less(write.key, *high))) {
        continue;
      }
      mine.push_back(std::move(write));
    }
    if (mine.empty()) continue;
    if (!has_ranges && high != nullptr && random->OneIn(2)) {
      // Moves the older half of the largest key's versions to the next table.
      const std::string largest =
          std::max_element(mine.begin(), mine.end(),
                           [&](const Write& a, const Write& b) {
                             return Less(a.key, b.key);
                           })
              ->key;
      const auto is_largest = [&](const Write& w) { return w.key == largest; };
      auto versions = std::count_if(mine.begin(), mine.end(), is_largest);
      const bool covered = std::any_of(
          writes.begin(), writes.end(),
          [&](const Write& write) { return Covers(write, largest); });
      std::vector<Write> kept;
      for (Write& write : mine) {  // from the oldest
        const bool spills = is_largest(write) && !covered && versions-- > 1;
        (spills ? spill : kept).push_back(std::move(write));
      }
      mine = std::move(kept);
    }
    level.tables.push_back(BuildOf(mine, random));
  }
}

LevelsAnswer RandomLevels::Expected(const Slice& user_key,
                                    SequenceNumber snapshot,
                                    const Slice& timestamp,
                                    bool ignore_range_deletions) const {
  LevelsAnswer answer;
  for (size_t i = writes_.size(); i-- > 0;) {
    const Write& write = writes_[i];
    if (write.sequence > snapshot) continue;
    if (!timestamp.empty() &&
        comparator_->CompareTimestamp(write.timestamp, timestamp) > 0) {
      continue;
    }
    const bool deletes_range =
        Covers(write, user_key) && !ignore_range_deletions;
    const bool is_of_key = write.type != ValueType::kTypeRangeDeletion &&
                           Slice(write.key) == user_key;
    if (!deletes_range && !is_of_key) continue;
    answer.sequence = write.sequence;
    answer.timestamp = write.timestamp;
    if (write.type == ValueType::kTypeMerge) {
      answer.state = GetResult::State::kMerged;
      answer.operands.push_back(write.value);
      continue;
    }
    const bool found = write.type == ValueType::kTypeValue;
    answer.state =
        found ? GetResult::State::kFound : GetResult::State::kDeleted;
    answer.value = write.value;
    return answer;
  }
  return answer;
}

}  // namespace ashlar::testing
