// Section numbers in these comments refer to table/FORMAT.md.
#include "test/support/reference_checks.h"

#include <algorithm>
#include <cstddef>

#include "test/support/reference_bytes.h"
#include "test/support/reference_keys.h"

namespace ashlar::testing::reference {

const std::string* FindProperty(const ReferenceTable& table,
                                const std::string& name) {
  auto found = table.properties.find("rocksdb." + name);
  return found == table.properties.end() ? nullptr : &found->second;
}

std::optional<uint64_t> FindVarintProperty(const ReferenceTable& table,
                                           const std::string& name) {
  const std::string* value = FindProperty(table, name);
  if (value == nullptr) return std::nullopt;
  Cursor cursor(*value);
  uint64_t result = cursor.Varint64();
  Check(cursor.empty(), "property " + name + " has extra bytes");
  return result;
}

namespace {

void CheckCounts(const ReferenceTable& table) {
  uint64_t points = table.entries.size();
  uint64_t ranges = table.range_deletions.size();
  const std::optional<uint64_t> deletions =
      FindVarintProperty(table, "num.range-deletions");
  const uint64_t entries =
      FindVarintProperty(table, "num.entries").value_or(points + ranges);
  // From 5.15 to 5.18 points alone are counted (section 10).
  Check(entries == points + ranges ||
            (deletions.has_value() && entries == points),
        "num.entries is wrong");
  Check(deletions.value_or(ranges) == ranges, "num.range-deletions is wrong");
}

// Section 6.4: all written timestamps are between these two, inclusive, and
// both occur.
void CheckTimestamps(const ReferenceTable& table) {
  const std::string* oldest = FindProperty(table, "timestamp_min");
  const std::string* newest = FindProperty(table, "timestamp_max");
  if (oldest == nullptr || newest == nullptr) return;
  size_t size = table.order.timestamp_size;
  bool none = table.entries.empty() && table.range_deletions.empty();
  Check(oldest->size() == (none ? 0 : size) &&
            newest->size() == (none ? 0 : size),
        "bad size of timestamp bounds");
  if (none || size == 0) return;
  uint64_t min = ~uint64_t{0};
  uint64_t max = 0;
  for (const auto* list : {&table.entries, &table.range_deletions}) {
    for (const ReferenceEntry& entry : *list) {
      Check(entry.user_key.size() >= size, "user key without a timestamp");
      uint64_t time = Fixed64(entry.user_key, entry.user_key.size() - size);
      min = std::min(min, time);
      max = std::max(max, time);
    }
  }
  Check(min == Fixed64(*oldest, 0) && max == Fixed64(*newest, 0),
        "timestamp bounds are wrong");
}

// Section 9: the filter matches everything that was added to it (section 9.4).
void CheckFilters(const ReferenceTable& table) {
  bool has_filter = !table.filter.empty() || !table.filter_partitions.empty();
  for (const ReferenceEntry& entry : table.entries) {
    std::string key(WithoutTimestamp(table.order, entry.user_key));
    std::string timestamp = entry.user_key.substr(key.size());
    Check(AskReferenceFilter(table, {key, entry.sequence, timestamp}) !=
              ReferenceFilterAnswer::kAbsent,
          "the filter denies a key that is there");
    if (!has_filter || !table.filter_use.prefixes) continue;
    std::optional<std::string> prefix =
        PrefixOf(table.filter_use.extractor, key);
    Check(!prefix.has_value() ||
              FilterMayMatchAt(
                  table, InternalKey(entry.user_key, entry.sequence, 0xFF),
                  *prefix),
          "the filter denies a prefix that is there");
  }
}

// Returns the number of the data block that holds an entry: the first block
// whose separator is not smaller.
uint32_t BlockOf(const ReferenceTable& table, const ReferenceEntry& entry) {
  std::string key = InternalKey(entry.user_key, entry.sequence, entry.type);
  uint32_t block = 0;
  while (block < table.index.size() &&
         CompareSeparator(table, table.index[block].first, key) < 0) {
    block++;
  }
  return block;
}

// Section 8.7: runs of keys with the same prefix, and the blocks that hold
// them.
void CheckPrefixes(const ReferenceTable& table) {
  const std::string& extractor = table.filter_use.extractor;
  if (table.prefixes.empty() || !IsBuiltinExtractor(extractor)) return;
  std::vector<ReferencePrefix> expected;
  for (const ReferenceEntry& entry : table.entries) {
    std::optional<std::string> prefix =
        PrefixOf(extractor, WithoutTimestamp(table.order, entry.user_key));
    Check(prefix.has_value(), "key without a prefix in a hash-search index");
    uint32_t block = BlockOf(table, entry);
    if (expected.empty() || expected.back().prefix != *prefix) {
      expected.push_back({*prefix, block, 1});
    } else {
      expected.back().num_blocks = block - expected.back().first_block + 1;
    }
  }
  Check(table.prefixes == expected, "prefixes of other entries");
}

}  // namespace

void CheckReferenceTable(const ReferenceTable& table) {
  CheckCounts(table);
  CheckTimestamps(table);
  CheckFilters(table);
  CheckPrefixes(table);
  for (const ReferenceEntry& entry : table.entries) {
    CheckReferenceValue(entry.type, entry.value);
  }
}

}  // namespace ashlar::testing::reference
