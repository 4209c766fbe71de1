#include "test/support/table_mutant.h"

#include <algorithm>
#include <utility>

#include "table/block/block.h"
#include "table/index/index_block.h"
#include "test/fuzz/sign_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {

namespace {

using internal::BlockView;
using internal::DecodeEntryHeader;
using internal::DecodeIndexEntry;
using internal::DecodeSeparatedEntry;
using internal::EntryHeader;
using internal::IndexEntry;
using internal::IndexForm;
using internal::LoadFixed32;
using internal::ParseBlock;
using internal::StoreFixed32;

void Note(const BlockInfo& block, const std::string& what, size_t at,
          TableMutant* mutant) {
  mutant->changes += std::string(BlockKindName(block.kind)) + " #" +
                     std::to_string(block.index) + " " + what + " at " +
                     std::to_string(at) + "; ";
}

// Changes the byte to a near value, or to any other value.
void ChangeByte(char* byte, Random* random) {
  switch (random->Below(4)) {
    case 0:
      *byte = static_cast<char>(*byte + 1);
      return;
    case 1:
      *byte = static_cast<char>(*byte - 1);
      return;
    case 2:
      *byte = static_cast<char>(*byte ^ 1 << random->Below(8));
      return;
    default:
      *byte = static_cast<char>(random->Next());
  }
}

bool MetaBlockIsPlain(BlockKind kind) {
  return kind == BlockKind::kMetaIndex || kind == BlockKind::kProperties ||
         kind == BlockKind::kRangeDeletion;
}

}  // namespace

TableMutator::TableMutator(std::string table) : table_(std::move(table)) {
  TableInspection found;
  InspectOptions options;
  options.on_entry = [this](const BlockInfo& block, const Slice& key,
                            const Slice&) {
    if (block.kind == BlockKind::kData) keys_.push_back(key.ToString());
  };
  Require(InspectTable(*NewMemoryFile("sound.sst", table_), options, &found));
  if (!found.faults.empty()) Require(found.faults[0].status);
  if (found.properties) {
    delta_handles_ = found.properties->index_value_is_delta_encoded != 0;
    first_keys_ = found.properties->index_type == 3;
    user_keys_ = found.properties->index_key_is_user_key != 0;
  }
  for (BlockInfo& info : found.blocks) {
    Parts parts = FindParts(info);
    blocks_.push_back({std::move(info), std::move(parts)});
  }
}

TableMutator::Parts TableMutator::FindParts(const BlockInfo& info) const {
  Parts parts;
  if (info.compression_type != 0 || !FindEntries(info, &parts)) return {};
  return parts;
}

bool TableMutator::FindEntries(const BlockInfo& info, Parts* parts) const {
  const bool is_index = info.kind == BlockKind::kIndex ||
                        info.kind == BlockKind::kIndexPartition ||
                        info.name.starts_with("partitionedfilter");
  const bool has_entries = is_index || info.kind == BlockKind::kData ||
                           info.kind == BlockKind::kMetaIndex ||
                           info.kind == BlockKind::kProperties ||
                           info.kind == BlockKind::kRangeDeletion;
  BlockView view;
  const Slice contents(table_.data() + info.offset, info.size);
  if (!has_entries ||
      !ParseBlock(contents, {info.kind, {info.offset, info.size}}, &view)
           .ok()) {
    return false;
  }
  const auto at = [&](const char* p) {
    return static_cast<size_t>(p - table_.data());
  };
  const IndexForm form = {false, delta_handles_,
                          first_keys_ && info.kind == BlockKind::kIndex};
  internal::SeparatedPosition position;
  IndexEntry index_entry;
  for (const char* p = view.entries; p < view.limit();) {
    if (is_index) {
      const char* const end =
          DecodeIndexEntry(p, view.limit(), form, &index_entry);
      if (end == nullptr) return false;
      parts->entries.push_back({at(p), at(index_entry.suffix.data()),
                                at(index_entry.suffix.end()), at(end)});
      p = end;
      continue;
    }
    EntryHeader header;
    const char* const key =
        view.separated ? DecodeSeparatedEntry(view, p, &position, &header)
                       : DecodeEntryHeader(p, view.limit(), &header);
    if (key == nullptr) return false;
    const char* const key_end = key + header.non_shared;
    const char* const value =
        view.separated ? position.value_end - header.value_size : key_end;
    parts->entries.push_back(
        {at(p), at(key), at(value), at(value) + header.value_size});
    p = view.separated ? key_end : value + header.value_size;
  }
  for (uint32_t i = 0; i < view.num_restarts; ++i) {
    parts->restarts.push_back(at(view.restarts) + i * sizeof(uint32_t));
  }
  if (view.num_buckets != 0) {
    parts->buckets = at(reinterpret_cast<const char*>(view.buckets));
    parts->num_buckets = view.num_buckets;
  }
  parts->end = at(contents.end());
  return true;
}

// Prefers blocks that are not data blocks: there are few, and each matters
// more.
const TableMutator::Block& TableMutator::PickBlock(Random* random) const {
  for (int i = 0; i < 4; ++i) {
    const Block& block = blocks_[random->Below(blocks_.size())];
    const BlockKind kind = block.info.kind;
    if (kind == BlockKind::kData && random->OneIn(2)) continue;
    // Readers use little of the properties block, so it is chosen less often.
    if (kind == BlockKind::kProperties && !random->OneIn(4)) continue;
    return block;
  }
  return blocks_[random->Below(blocks_.size())];
}

// Moves a restart point by a few bytes, or replaces it by another one.
bool TableMutator::ChangeRestart(const Block& block, Random* random,
                                 TableMutant* mutant) const {
  const std::vector<size_t>& restarts = block.parts.restarts;
  if (restarts.empty() || block.parts.entries.empty()) return false;
  const size_t i = random->Below(restarts.size());
  char* const at = mutant->bytes.data() + restarts[i];
  uint32_t value = LoadFixed32(at);
  const size_t begin = block.info.offset;
  switch (random->Below(4)) {
    case 0:
      ++value;
      break;
    case 1:
      --value;
      break;
    case 2: {
      const auto& entry =
          block.parts.entries[random->Below(block.parts.entries.size())];
      value = static_cast<uint32_t>(entry.begin - begin);
      break;
    }
    default:
      value = static_cast<uint32_t>(random->Below(block.info.size + 1));
  }
  StoreFixed32(at, value);
  Note(block.info, "restart point " + std::to_string(i), restarts[i], mutant);
  return true;
}

// Changes a byte of a key or a value.
bool TableMutator::ChangeEntry(const Block& block, Random* random,
                               TableMutant* mutant) const {
  if (block.parts.entries.empty()) return false;
  const size_t i = random->Below(block.parts.entries.size());
  const Parts::Entry& entry = block.parts.entries[i];
  const size_t key_end = std::min(entry.value, entry.key + 256);
  size_t at = 0;
  if (random->OneIn(2) && entry.end > entry.value) {
    at = entry.value + random->Below(entry.end - entry.value);
  } else if (key_end > entry.key) {
    // Prefers the end of the key and the end of its user key.
    const size_t size = key_end - entry.key;
    const size_t back = random->OneIn(2)
                            ? random->Below(std::min<size_t>(size, 10))
                            : random->Below(size);
    at = key_end - 1 - back;
  } else {
    return false;
  }
  ChangeByte(mutant->bytes.data() + at, random);
  Note(block.info, "entry " + std::to_string(i), at, mutant);
  return true;
}

// Changes numbers of an entry's header. Two of them change in opposite
// directions, so that the entry keeps its length.
bool TableMutator::ChangeHeader(const Block& block, Random* random,
                                TableMutant* mutant) const {
  if (block.parts.entries.empty()) return false;
  const size_t i = random->Below(block.parts.entries.size());
  const Parts::Entry& entry = block.parts.entries[i];
  const size_t size = entry.key - entry.begin;
  if (size < 2) return false;
  char* const header = mutant->bytes.data() + entry.begin;
  const size_t first = random->Below(std::min<size_t>(size, 4));
  if (random->OneIn(2)) {
    ChangeByte(header + first, random);
  } else {
    const size_t second = random->Below(std::min<size_t>(size, 4));
    header[first] = static_cast<char>(header[first] + 1);
    header[second] = static_cast<char>(header[second] - 1);
  }
  Note(block.info, "header " + std::to_string(i), entry.begin, mutant);
  return true;
}

bool TableMutator::ChangeBuckets(const Block& block, Random* random,
                                 TableMutant* mutant) const {
  if (block.parts.num_buckets == 0) return false;
  const size_t at =
      block.parts.buckets + random->Below(block.parts.num_buckets);
  ChangeByte(mutant->bytes.data() + at, random);
  Note(block.info, "bucket", at, mutant);
  return true;
}

// Copies a key, a separator or a handle over another one.
bool TableMutator::CopyEntry(const Block& block, Random* random,
                             TableMutant* mutant) const {
  const std::vector<Parts::Entry>& entries = block.parts.entries;
  if (entries.size() < 2) return false;
  const size_t from = random->Below(entries.size());
  const size_t to = random->Below(entries.size());
  const bool value = random->OneIn(2);
  const Parts::Entry& a = entries[from];
  const Parts::Entry& b = entries[to];
  const size_t source = value ? a.value : a.key;
  const size_t target = value ? b.value : b.key;
  const size_t n = value ? std::min(a.end - a.value, b.end - b.value)
                         : std::min(a.value - a.key, b.value - b.key);
  if (n == 0 || from == to || a.value < a.key || b.value < b.key ||
      n > block.info.size) {
    return false;
  }
  mutant->bytes.replace(target, n, table_, source, n);
  Note(block.info,
       "entry " + std::to_string(from) + " over " + std::to_string(to), target,
       mutant);
  return true;
}

// Overwrites a separator that is stored whole with a key of the table of the
// same length, before or after all versions of that key.
bool TableMutator::ChangeSeparator(const Block& block, Random* random,
                                   TableMutant* mutant) const {
  const std::vector<Parts::Entry>& entries = block.parts.entries;
  if (block.info.kind == BlockKind::kData ||
      MetaBlockIsPlain(block.info.kind) || entries.empty() || keys_.empty()) {
    return false;
  }
  const size_t number = random->Below(entries.size());
  const Parts::Entry& entry = entries[number];
  if (table_[entry.begin] != 0) return false;
  for (int tries = 0; tries < 8; ++tries) {
    std::string key = keys_[random->Below(keys_.size())];
    const size_t tail = kInternalKeyTailBytes;
    if (user_keys_) {
      key.resize(key.size() - tail);
    } else if (random->OneIn(2)) {
      key.replace(key.size() - tail, tail, tail,
                  random->OneIn(2) ? '\xff' : '\0');
    }
    if (key.size() != entry.value - entry.key) continue;
    mutant->bytes.replace(entry.key, key.size(), key);
    Note(block.info, "separator " + std::to_string(number), entry.key, mutant);
    return true;
  }
  return false;
}

// Overwrites a block with an old or wrong one.
bool TableMutator::CopyBlock(const Block& block, Random* random,
                             TableMutant* mutant) const {
  const Block& other = blocks_[random->Below(blocks_.size())];
  if (&other == &block || other.info.size != block.info.size ||
      block.info.kind == BlockKind::kFooter) {
    return false;
  }
  mutant->bytes.replace(block.info.offset, block.info.size + 1, table_,
                        other.info.offset, block.info.size + 1);
  Note(block.info, "copy of another block", other.info.offset, mutant);
  return true;
}

// Picks any byte, but prefers the end of the block and its trailer.
size_t TableMutator::PickByte(const Block& block, Random* random) const {
  const BlockInfo& info = block.info;
  const size_t end = info.kind == BlockKind::kFooter
                         ? info.offset + info.size
                         : info.offset + info.size + 1;
  const size_t size = end - info.offset;
  const size_t most = random->OneIn(3) ? std::min<size_t>(size, 10) : size;
  return end - 1 - random->Below(most);
}

void TableMutator::Change(Random* random, TableMutant* mutant) const {
  for (;;) {
    const Block& block = PickBlock(random);
    bool changed = true;
    switch (random->Below(9)) {
      case 0:
        changed = ChangeRestart(block, random, mutant);
        break;
      case 1:
      case 2:
        changed = ChangeEntry(block, random, mutant);
        break;
      case 3:
        changed = ChangeHeader(block, random, mutant);
        break;
      case 4:
        changed = ChangeBuckets(block, random, mutant);
        break;
      case 5:
        changed = CopyEntry(block, random, mutant);
        break;
      case 6:
        changed = CopyBlock(block, random, mutant);
        break;
      case 7:
        changed = ChangeSeparator(block, random, mutant);
        break;
      default: {
        const size_t at = PickByte(block, random);
        ChangeByte(mutant->bytes.data() + at, random);
        Note(block.info, "byte", at, mutant);
      }
    }
    if (changed) return;
  }
}

TableMutant TableMutator::Mutate(Random* random) const {
  TableMutant mutant{table_, {}};
  const uint64_t changes = random->OneIn(3) ? random->Between(2, 3) : 1;
  for (uint64_t i = 0; i < changes; ++i) Change(random, &mutant);
  fuzz::SignTable(&mutant.bytes);
  return mutant;
}

}  // namespace ashlar::testing
