// Section numbers in these comments refer to table/FORMAT.md.
#include "test/support/reference_block.h"

#include <algorithm>
#include <map>
#include <set>

#include "test/support/reference_hash.h"

namespace ashlar::testing::reference {
namespace {

void CheckRestarts(const BlockParts& parts,
                   const std::map<uint64_t, uint32_t>& shared_at) {
  if (parts.entries.empty()) {
    Check(parts.restarts.size() <= 1, "empty block with several restarts");
    return;
  }
  Check(!parts.restarts.empty(), "entries without a restart point");
  Check(parts.restarts[0] == 0, "first restart is not 0");
  for (size_t i = 0; i < parts.restarts.size(); i++) {
    uint32_t offset = parts.restarts[i];
    Check(i == 0 || parts.restarts[i - 1] < offset, "restarts not ascending");
    auto entry = shared_at.find(offset);
    Check(entry != shared_at.end(), "restart is not the start of an entry");
    Check(entry->second == 0, "restart entry shares bytes");
  }
}

// Returns the number of the restart interval that contains `offset`.
size_t IntervalOf(const BlockParts& parts, uint64_t offset) {
  auto above =
      std::upper_bound(parts.restarts.begin(), parts.restarts.end(), offset);
  Check(above != parts.restarts.begin(), "first restart is not 0");
  return static_cast<size_t>(above - parts.restarts.begin()) - 1;
}

// Section 8.3.
void ReadIndexValue(const BlockForm& form, uint32_t shared, Cursor* cursor,
                    const Handle& previous, Item* item) {
  if (form.values == ValueForm::kFullHandle || shared == 0) {
    item->handle = cursor->BlockHandle();
  } else {
    int64_t delta = cursor->VarSigned64();
    item->handle = {previous.first + previous.second + kTrailerSize,
                    previous.second + static_cast<uint64_t>(delta)};
  }
  if (form.has_first_keys) item->first_key = cursor->Take(cursor->Varint32());
}

// Section 5.4.
std::vector<Item> ReadSeparatedItems(const BlockParts& parts,
                                     std::vector<size_t>* intervals) {
  const std::set<uint64_t> restarts(parts.restarts.begin(),
                                    parts.restarts.end());
  std::vector<Item> items;
  std::map<uint64_t, uint32_t> shared_at;
  Cursor cursor(parts.entries);
  Cursor values("");
  std::string key;
  while (!cursor.empty()) {
    uint64_t offset = parts.entries.size() - cursor.left();
    uint32_t shared = cursor.Varint32();
    uint32_t non_shared = cursor.Varint32();
    uint32_t value_len = cursor.Varint32();
    if (restarts.count(offset) > 0) {
      uint32_t value_offset = cursor.Varint32();
      values = Cursor(parts.values);
      values.Take(value_offset);
    }
    Check(shared <= key.size(), "shared length exceeds the previous key");
    shared_at[offset] = shared;
    intervals->push_back(IntervalOf(parts, offset));
    key.resize(shared);
    key += cursor.Take(non_shared);
    items.push_back({key, std::string(values.Take(value_len)), {}, {}});
  }
  CheckRestarts(parts, shared_at);
  return items;
}

// Section 5.2. Index blocks with delta-encoded handles: section 8.3.
std::vector<Item> ReadPlainItems(const BlockParts& parts, const BlockForm& form,
                                 std::vector<size_t>* intervals) {
  std::vector<Item> items;
  std::map<uint64_t, uint32_t> shared_at;  // offset of an entry to its `shared`
  Cursor cursor(parts.entries);
  std::string key;
  Handle handle;
  while (!cursor.empty()) {
    uint64_t offset = parts.entries.size() - cursor.left();
    bool has_length = form.values != ValueForm::kDeltaHandle;
    uint32_t shared = cursor.Varint32();
    uint32_t non_shared = cursor.Varint32();
    uint32_t value_len = has_length ? cursor.Varint32() : 0;
    Check(shared <= key.size(), "shared length exceeds the previous key");
    shared_at[offset] = shared;
    intervals->push_back(IntervalOf(parts, offset));
    key.resize(shared);
    key += cursor.Take(non_shared);
    Item item;
    item.key = key;
    if (has_length) {
      item.value = cursor.Take(value_len);
      Cursor value(item.value);
      if (form.values == ValueForm::kFullHandle) {
        ReadIndexValue(form, shared, &value, handle, &item);
      }
    } else {
      ReadIndexValue(form, shared, &cursor, handle, &item);
    }
    handle = item.handle;
    items.push_back(std::move(item));
  }
  CheckRestarts(parts, shared_at);
  return items;
}

// Section 5.5: the hash index that a writer makes for these entries at these
// restart intervals.
std::string MakeBuckets(const std::vector<Item>& items,
                        const std::vector<size_t>& intervals, size_t count) {
  std::string buckets(count, '\xFF');
  for (size_t i = 0; i < items.size(); i++) {
    Check(items[i].key.size() >= 8, "internal key shorter than 8 bytes");
    Check(intervals[i] <= 253, "hash index over too many intervals");
    std::string_view user_key(items[i].key.data(), items[i].key.size() - 8);
    char& bucket = buckets[Hash32(user_key, 397, Tail::kSigned) % count];
    char ordinal = static_cast<char>(intervals[i]);
    bucket = bucket == '\xFF' || bucket == ordinal ? ordinal : '\xFE';
  }
  return buckets;
}

}  // namespace

BlockParts SplitBlock(std::string_view block) {
  Check(block.size() >= 4, "block too short");
  uint32_t packed = Fixed32(block, block.size() - 4);
  block.remove_suffix(4);
  Check((packed & (1u << 30)) == 0, "reserved bit 30 set");
  BlockParts parts;
  parts.separated = (packed & (1u << 28)) != 0;
  uint64_t values_offset = 0;
  if (parts.separated) {
    Check(block.size() >= 4, "no room for the values offset");
    values_offset = Fixed32(block, block.size() - 4);
    block.remove_suffix(4);
  }
  if ((packed & (1u << 31)) != 0) {
    Check(block.size() >= 2, "no room for the hash index");
    uint64_t buckets = Fixed(block, block.size() - 2, 2);
    Check(buckets != 0 && buckets + 2 <= block.size(), "bad hash index");
    parts.buckets = block.substr(block.size() - buckets - 2, buckets);
    block.remove_suffix(buckets + 2);
  }
  uint64_t num_restarts = packed & 0x0FFFFFFF;
  Check(4 * num_restarts <= block.size(), "restart array too large");
  parts.entries = block.substr(0, block.size() - 4 * num_restarts);
  for (uint64_t i = 0; i < num_restarts; i++) {
    parts.restarts.push_back(Fixed32(block, parts.entries.size() + 4 * i));
  }
  if (parts.separated) {
    Check(values_offset <= parts.entries.size(), "values begin too late");
    parts.values = parts.entries.substr(values_offset);
    parts.entries = parts.entries.substr(0, values_offset);
  }
  return parts;
}

std::vector<Item> ReadItems(std::string_view block, const BlockForm& form) {
  BlockParts parts = SplitBlock(block);
  Check(form.is_data || !parts.separated,
        "keys and values apart in a block that is not a data block");
  Check(form.is_data || parts.buckets.empty(),
        "hash index in a block that is not a data block");
  std::vector<size_t> intervals;
  std::vector<Item> items = parts.separated
                                ? ReadSeparatedItems(parts, &intervals)
                                : ReadPlainItems(parts, form, &intervals);
  if (!parts.buckets.empty()) {
    Check(parts.buckets == MakeBuckets(items, intervals, parts.buckets.size()),
          "hash index of other entries");
  }
  return items;
}

}  // namespace ashlar::testing::reference
