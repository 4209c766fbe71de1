#include "table/inspect/found_kinds.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "table/inspect/inspected_file.h"
#include "table/inspect/moved_indexes.h"
#include "table/meta/plain_block.h"
#include "table/meta/properties_block.h"

namespace ashlar::internal {

namespace {

constexpr uint32_t kFirstListVersion = 7;
// Handles may be those of a file that was longer.
constexpr uint64_t kFarthest = uint64_t{1} << 62;

bool AllEntriesDecode(const Slice& contents, const BlockPlace& place) {
  const BlockPlace as_data{BlockKind::kData, place.handle, 0};
  BlockView view;
  return ParseBlock(contents, as_data, &view).ok() &&
         ForEachPlainEntry(view, as_data, [](const Slice&, const Slice&) {
           return Status();
         }).ok();
}

// One search. found_table.h says what its members are.
class TableFinder {
 public:
  TableFinder(const RandomAccessFile& file, const Footer& footer,
              bool has_contexts, const BlockWalk& walk, Findings* findings,
              FoundTable* found)
      : has_contexts_(has_contexts),
        walk_(walk),
        found_(*found),
        inspected_(&file, footer, findings->options()),
        thread_(&file, 0),
        others_(&file, 0),
        moved_(walk.blocks(), inspected_, &others_) {
    // A block is looked at a few times. Blocks of a hostile file may name each
    // other any number of times.
    constexpr uint64_t kMostPasses = 16;
    thread_.most_bytes_sought = kMostPasses * findings->BytesInFile();
    others_.most_bytes_sought = thread_.most_bytes_sought;
  }

  void Run();

 private:
  struct FoundIndex {
    BlockHandle handle;
    BlockHandle first;  // that it names
  };
  struct Key {
    std::string user_key;
    uint64_t tail = 0;  // sequence number and type

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Ends {
    Key first;
    Key last;

    friend bool operator==(const Ends&, const Ends&) = default;
  };
  // A block of entries that can be an index whose blocks were moved.
  struct InDoubt {
    size_t number = 0;
    BlockHandle first;  // that it names then
  };

  BlockKind KindOf(const FoundBlock& block);
  BlockKind KindOfEntries(const Slice& contents, const BlockPlace& place);
  void DropInDoubt();
  bool IsBefore(size_t number, BlockKind kind) const;
  bool IsBeforeTail(size_t number) const;
  bool Follows(size_t number) const;
  bool NamesFirstBlock(const BlockHandle& handle);
  void DropFalseIndexes();
  bool LiesBetween(const BlockHandle& last, const BlockHandle& block,
                   const BlockHandle& next);
  std::optional<Ends> EndsOf(const BlockHandle& handle);
  void TakeSample();
  bool NeedsDictionary();
  bool IsIndex(const IndexItems& items, const BlockPlace& place);
  bool IsAmongData(const IndexItems& items, const BlockHandle& handle);
  bool MetaindexWasMoved() const;
  void Take(const FoundBlock& block, BlockKind kind);
  void NameBlocks();
  void Name(std::string_view name, const BlockHandle& handle) {
    found_.named.push_back({std::string(name), handle.offset, handle.size});
  }
  bool IsNamed(const BlockHandle& handle) const;
  bool IsTopLevel(const FoundIndex& index) const;

  // Whether it is known that blocks are where they were written.
  const bool has_contexts_;
  const BlockWalk& walk_;
  FoundTable& found_;
  InspectedFile inspected_;
  ThreadReads thread_;
  // Of the blocks around the one that is looked at, whose contents must stay.
  ThreadReads others_;
  MovedIndexes moved_;
  std::vector<MetaBlockEntry> names_;  // in the metaindex, if it is found
  std::optional<BlockHandle> metaindex_;
  std::optional<BlockHandle> properties_;
  std::optional<BlockHandle> dictionary_;
  std::optional<BlockHandle> sample_;  // a dictionary that may be data
  std::vector<BlockHandle> range_deletions_;
  std::vector<FoundIndex> indexes_;  // the last one of the file first
  BlockHandle first_of_index_;       // of the block that was looked at last
  // The same of a block that is no index, unless its blocks were moved.
  std::optional<BlockHandle> can_name_;
  bool index_was_moved_ = false;   // of any index
  std::vector<BlockKind> kinds_;   // of the blocks that were looked at
  std::vector<InDoubt> in_doubt_;  // the last one of the file first
  std::optional<uint32_t> index_type_;
  bool lists_types_ = false;
};

void TableFinder::Run() {
  // Some more are looked at, in case blocks are not where they belong. Without
  // context checksums they can be anywhere.
  constexpr size_t kEnoughDataBlocks = 16;
  const bool all = inspected_.footer().base_context_checksum == 0;
  const std::vector<FoundBlock>& blocks = walk_.blocks();
  size_t i = blocks.size();
  std::vector<BlockHandle>& data = found_.data_blocks;
  kinds_.resize(blocks.size(), BlockKind::kOther);
  while (i > 0 && (all || data.size() < kEnoughDataBlocks)) {
    --i;
    can_name_.reset();
    kinds_[i] = KindOf(blocks[i]);
    // A dictionary of small samples may have the form of data by chance, and
    // one of one sample has it.
    if (kinds_[i] == BlockKind::kData && IsBeforeTail(i) &&
        !can_name_.has_value()) {
      if (blocks[i].has_form) sample_ = blocks[i].handle;
      if (!blocks[i].has_form) kinds_[i] = BlockKind::kDictionary;
    }
    if (kinds_[i] == BlockKind::kData && can_name_.has_value()) {
      in_doubt_.push_back({i, *can_name_});
    }
    Take(blocks[i], kinds_[i]);
  }
  if (!has_contexts_) DropInDoubt();
  DropFalseIndexes();
  TakeSample();
  if (dictionary_.has_value() && !NeedsDictionary()) dictionary_.reset();
  constexpr uint8_t kFirstCustom = 0x80;
  while (i > 0) {
    const FoundBlock& block = blocks[--i];
    // Where values are apart, the form may be ambiguous.
    if (block.has_form || block.compression_type >= kFirstCustom ||
        (block.compression_type == 0 && KindOf(block) == BlockKind::kData)) {
      data.push_back(block.handle);
    }
  }
  std::reverse(data.begin(), data.end());
  NameBlocks();
}

// A compressed block that cannot be decompressed needs the dictionary: only
// data blocks do.
BlockKind TableFinder::KindOf(const FoundBlock& block) {
  // As a properties block, whose checksum may be that of other bytes.
  const BlockPlace place{BlockKind::kProperties, block.handle, 0};
  Slice contents;
  if (!inspected_.Peek(place, &thread_, &contents)) {
    return block.compression_type != 0 ? BlockKind::kData : BlockKind::kOther;
  }
  const BlockKind kind = KindOfEntries(contents, place);
  // A dictionary is made of data blocks, and may begin and end like one.
  const bool only_looks_like_data = kind == BlockKind::kData &&
                                    !block.has_form &&
                                    !AllEntriesDecode(contents, place);
  if (!only_looks_like_data && (kind != BlockKind::kOther || block.has_form)) {
    return kind;
  }
  constexpr uint32_t kDictionaryMark = 0xEC30A437;
  if (contents.empty()) return BlockKind::kOther;
  const bool marked = contents.size() >= sizeof(kDictionaryMark) &&
                      LoadFixed32(contents.data()) == kDictionaryMark;
  return marked || indexes_.empty() ? BlockKind::kDictionary
                                    : BlockKind::kOther;
}

BlockKind TableFinder::KindOfEntries(const Slice& contents,
                                     const BlockPlace& place) {
  const BlockPlace as_data{BlockKind::kData, place.handle, 0};
  BlockView view;
  if (!ParseBlock(contents, as_data, &view).ok()) return BlockKind::kOther;
  // The names of a metaindex are no keys of any other block.
  std::vector<MetaBlockEntry> names;
  if (DecodeMetaindex(contents, place, kFarthest, &names).ok() &&
      std::any_of(names.begin(), names.end(), [](const auto& entry) {
        return MetaBlockKind(entry.name) != BlockKind::kOther;
      })) {
    if (!metaindex_.has_value()) names_ = std::move(names);
    return BlockKind::kMetaIndex;
  }
  if (!view.separated) {
    IndexForm form;
    IndexItems items;
    if (moved_.Guess(view, place, &form, &items)) {
      const bool is_index = IsIndex(items, place);
      const bool is_exact = moved_.IsExact(view, as_data, form);
      if (is_index || (is_exact && moved_.IsOne(items, place) &&
                       !IsAmongData(items, place.handle))) {
        moved_.ExpectPartitions(items, place);
        index_was_moved_ = index_was_moved_ || !is_index;
        return is_index ? BlockKind::kIndex : BlockKind::kOther;
      }
      if (moved_.IsPartition(place.handle.offset)) return BlockKind::kOther;
      if (is_exact) can_name_ = items[0].handle;
    }
  }
  const std::optional<std::string> first = FirstPlainKey(view, as_data);
  if (!first.has_value()) return BlockKind::kOther;
  if (first->size() >= kInternalKeyTailBytes) {
    const ValueType type = TypeOf(*first);
    if (type == ValueType::kTypeRangeDeletion) return BlockKind::kRangeDeletion;
    // The tail of a separator that was made shorter, before a handle.
    if (can_name_.has_value() && SequenceOf(*first) == kMaxSequenceNumber &&
        type == ValueType::kTypeValuePreferredSeqno) {
      return BlockKind::kOther;
    }
    if (ValueTypeName(type) != "unknown") return BlockKind::kData;
  }
  TableProperties properties;
  if (DecodeProperties(contents, place, &properties).ok() &&
      properties.stored.contains("rocksdb.num.entries")) {
    index_type_ = properties.index_type;
    lists_types_ = properties.compression_name.find(';') != std::string::npos;
    return BlockKind::kProperties;
  }
  return BlockKind::kOther;
}

// An index of few handles has the form of a data block, and names blocks that
// are anywhere if they were moved, or lost. Such a block is shown if
//
//   it is right before data       Data come first in a file.
//   nothing was moved             Then an index would name blocks that exist,
//                                 or begin a part that was lost.
//   it is right after data, or    Then it can only be the first index, which
//   begins the file               names the first block of the file.
//
// and if it is not right before the blocks that follow the index.
void TableFinder::DropInDoubt() {
  const MetaBlockEntry* const last =
      FindMetaBlock(names_, kPropertiesBlockName);
  // The metaindex is written right after the properties.
  const bool moved =
      index_was_moved_ || MetaindexWasMoved() ||
      (last != nullptr && metaindex_.has_value() &&
       BlockHandle{last->offset, last->size}.End() != metaindex_->offset);
  std::vector<InDoubt> open;
  for (const InDoubt& block : in_doubt_) {
    if (IsBefore(block.number, BlockKind::kData)) continue;
    if (IsBeforeTail(block.number)) {
      kinds_[block.number] = BlockKind::kOther;
    } else if (moved) {
      kinds_[block.number] = BlockKind::kOther;
      open.push_back(block);
    }
  }
  for (; !open.empty(); open.pop_back()) {
    const size_t number = open.back().number;
    const bool follows_data =
        number == 0 ? walk_.blocks()[0].handle.offset == 0
                    : kinds_[number - 1] == BlockKind::kData && Follows(number);
    if (follows_data && !NamesFirstBlock(open.back().first)) {
      kinds_[number] = BlockKind::kData;
    }
  }
  std::vector<BlockHandle>& data = found_.data_blocks;
  data.clear();
  for (size_t i = kinds_.size(); i > 0; --i) {
    if (kinds_[i - 1] != BlockKind::kData) continue;
    if (!IsBeforeTail(i - 1)) data.push_back(walk_.blocks()[i - 1].handle);
  }
}

// Returns whether a block of this kind is right after this one.
bool TableFinder::IsBefore(size_t number, BlockKind kind) const {
  const size_t next = number + 1;
  return next < kinds_.size() && kinds_[next] == kind && Follows(next);
}

// Returns whether it is one that comes after index and dictionary.
bool TableFinder::IsBeforeTail(size_t number) const {
  return IsBefore(number, BlockKind::kRangeDeletion) ||
         IsBefore(number, BlockKind::kProperties) ||
         IsBefore(number, BlockKind::kMetaIndex);
}

// Returns whether nothing but padding is between this block and the one before.
bool TableFinder::Follows(size_t number) const {
  const std::vector<FoundBlock>& blocks = walk_.blocks();
  const std::vector<ByteRange>& lost = walk_.lost();
  const auto next = std::lower_bound(
      lost.begin(), lost.end(), blocks[number - 1].handle.End(),
      [](const ByteRange& range, uint64_t offset) {
        return range.begin < offset;
      });
  return next == lost.end() || next->begin >= blocks[number].handle.offset;
}

// Returns whether this can be the handle of the first data block of a file.
// That is the first block, except in files with context checksums, which can
// have blobs before it.
bool TableFinder::NamesFirstBlock(const BlockHandle& handle) {
  if (inspected_.footer().base_context_checksum != 0) return true;
  return handle.offset == 0 && (walk_.blocks()[0].handle.offset != 0 ||
                                moved_.HasSizeOfBlock(handle.size));
}

// An entry may look like a handle, and its block like an index, which data then
// follow. Each block is looked at a few times, and moved once.
void TableFinder::DropFalseIndexes() {
  const auto is_later = [](const BlockHandle& a, const BlockHandle& b) {
    return a.offset > b.offset;
  };
  std::vector<BlockHandle>& data = found_.data_blocks;
  std::vector<BlockHandle> dropped;  // the last one of the file first
  for (const FoundIndex& index : indexes_) {
    const auto before =
        std::upper_bound(data.begin(), data.end(), index.handle, is_later);
    const size_t data_after =
        static_cast<size_t>(before - data.begin()) + dropped.size();
    if (data_after == 0) break;
    std::vector<BlockHandle> next;
    if (before != data.begin()) next.push_back(*std::prev(before));
    if (!dropped.empty()) next.push_back(dropped.back());
    // Where blocks are where they were written, only a dictionary of one sample
    // comes after an index. Elsewhere copies may follow.
    const bool is_false =
        inspected_.footer().base_context_checksum != 0
            ? data_after > 1
            : before != data.end() &&
                  LiesBetween(
                      *before, index.handle,
                      *std::max_element(next.begin(), next.end(), is_later));
    if (!is_false) break;
    dropped.push_back(index.handle);
  }
  if (dropped.empty()) return;
  indexes_.erase(indexes_.begin(),
                 indexes_.begin() + static_cast<ptrdiff_t>(dropped.size()));
  std::vector<BlockHandle> all;
  all.reserve(data.size() + dropped.size());
  std::merge(data.begin(), data.end(), dropped.begin(), dropped.end(),
             std::back_inserter(all), is_later);
  data = std::move(all);
}

// Returns whether the keys of a block lie between those of the data blocks next
// to it, and apart from them. Those of an index of several blocks do not: its
// first separator is before the last of these, which is the block before it.
bool TableFinder::LiesBetween(const BlockHandle& last, const BlockHandle& block,
                              const BlockHandle& next) {
  const auto of_last = EndsOf(last);
  const auto own = EndsOf(block);
  const auto of_next = EndsOf(next);
  if (!of_last.has_value() || !own.has_value() || !of_next.has_value()) {
    return false;
  }
  // One of them may be a copy of the other.
  const int order = of_next->last.user_key.compare(of_last->first.user_key);
  if (order == 0 || *of_next == *of_last) return false;
  // Versions of a user key begin with the newest one in every order of keys.
  const auto is_after = [order](const Key& b, const Key& a) {
    const int step = b.user_key.compare(a.user_key);
    return step == 0 ? b.tail < a.tail : (step > 0) == (order > 0);
  };
  return is_after(own->first, of_last->last) &&
         !is_after(own->first, own->last) &&
         is_after(of_next->first, own->last);
}

// Small entries may look like handles of blocks that were moved. Returns
// whether this block can only be data, by the keys of the blocks right before
// and after it. They do not tell an index of one block.
bool TableFinder::IsAmongData(const IndexItems& items,
                              const BlockHandle& handle) {
  const std::vector<FoundBlock>& blocks = walk_.blocks();
  const auto here =
      std::lower_bound(blocks.begin(), blocks.end(), handle.offset,
                       [](const FoundBlock& block, uint64_t offset) {
                         return block.handle.offset < offset;
                       });
  const auto number = static_cast<size_t>(here - blocks.begin());
  if (items.size() < 2 || number == 0 || number + 1 >= blocks.size() ||
      !Follows(number) || !Follows(number + 1)) {
    return false;
  }
  return LiesBetween(blocks[number - 1].handle, handle,
                     blocks[number + 1].handle);
}

// Returns the first and the last key of the block, if it may be data.
std::optional<TableFinder::Ends> TableFinder::EndsOf(
    const BlockHandle& handle) {
  const BlockPlace place{BlockKind::kData, handle, 0};
  Slice contents;
  BlockView view;
  if (!inspected_.Peek(place, &others_, &contents) ||
      !ParseBlock(contents, place, &view).ok()) {
    return std::nullopt;
  }
  std::optional<Ends> ends;
  const Status status =
      ForEachPlainEntry(view, place, [&](const Slice& key, const Slice&) {
        if (key.size() < kInternalKeyTailBytes ||
            ValueTypeName(TypeOf(key)) == "unknown") {
          return Status::Corruption("no internal key");
        }
        const size_t size = key.size() - kInternalKeyTailBytes;
        Key own{std::string(key.data(), size), LoadFixed64(key.data() + size)};
        if (!ends.has_value()) ends = Ends{own, own};
        ends->last = std::move(own);
        return Status();
      });
  return status.ok() ? ends : std::nullopt;
}

// A dictionary of one sample is a whole data block, but comes after the index,
// and right before the blocks that follow that.
void TableFinder::TakeSample() {
  std::vector<BlockHandle>& data = found_.data_blocks;
  if (sample_.has_value()) {
    dictionary_ = sample_;
    std::erase(data, *sample_);
  }
  const auto before_index =
      std::find_if(data.begin(), data.end(), [this](const BlockHandle& handle) {
        return indexes_.empty() || handle.offset < indexes_[0].handle.offset;
      });
  if (before_index == data.begin()) return;
  if (dictionary_.has_value() && !sample_.has_value()) return;
  if (!dictionary_.has_value()) dictionary_ = data[0];
  data.erase(data.begin(), before_index);
}

// Returns whether some of the data blocks do not decompress alone. What has no
// form may be a filter instead.
bool TableFinder::NeedsDictionary() {
  for (const BlockHandle& handle : found_.data_blocks) {
    const BlockPlace place{BlockKind::kData, handle, 0};
    Slice contents;
    if (!inspected_.Peek(place, &thread_, &contents)) return true;
  }
  return false;
}

bool TableFinder::IsIndex(const IndexItems& items, const BlockPlace& place) {
  bool matches = false;
  uint64_t end = 0;
  for (const IndexItem& item : items) {
    if (item.handle.offset < end || !item.handle.FitsBelow(place.handle.offset))
      return false;
    if (!moved_.IsPlausible(item.handle, &matches)) return false;
    end = item.handle.End();
  }
  first_of_index_ = items[0].handle;
  // Few values that are no handles can look like some.
  constexpr size_t kEnough = 4;
  const auto begins_gap = [&](const ByteRange& range) {
    return range.begin == items[0].handle.offset;
  };
  return matches || items.size() >= kEnough ||
         std::any_of(walk_.lost().begin(), walk_.lost().end(), begins_gap);
}

// Returns whether the metaindex names blocks that are elsewhere.
bool TableFinder::MetaindexWasMoved() const {
  const MetaBlockEntry* const named =
      FindMetaBlock(names_, kPropertiesBlockName);
  if (named == nullptr) return false;
  if (properties_.has_value()) {
    return BlockHandle{named->offset, named->size} != *properties_;
  }
  bool matches = false;
  return !moved_.IsPlausible({named->offset, named->size}, &matches);
}

void TableFinder::Take(const FoundBlock& block, BlockKind kind) {
  const BlockHandle& handle = block.handle;
  switch (kind) {
    case BlockKind::kData:
      found_.data_blocks.push_back(handle);
      break;
    case BlockKind::kMetaIndex:
      if (!metaindex_.has_value()) metaindex_ = handle;
      break;
    case BlockKind::kProperties:
      if (!properties_.has_value()) properties_ = handle;
      break;
    case BlockKind::kDictionary:
      if (!dictionary_.has_value()) dictionary_ = handle;
      break;
    case BlockKind::kRangeDeletion:
      range_deletions_.push_back(handle);
      break;
    case BlockKind::kIndex:
      indexes_.push_back({handle, first_of_index_});
      break;
    default:
      break;
  }
}

bool TableFinder::IsNamed(const BlockHandle& handle) const {
  return std::any_of(names_.begin(), names_.end(), [&](const auto& entry) {
    return entry.offset == handle.offset && entry.size == handle.size;
  });
}

// Returns whether this can be the index, or its top level: by the properties,
// if they are known. The last one of the file otherwise.
bool TableFinder::IsTopLevel(const FoundIndex& index) const {
  constexpr uint32_t kTwoLevels = 2;
  if (!index_type_.has_value()) return true;
  const bool names_indexes = std::any_of(
      indexes_.begin(), indexes_.end(),
      [&](const FoundIndex& other) { return other.handle == index.first; });
  return names_indexes == (*index_type_ == kTwoLevels);
}

void TableFinder::NameBlocks() {
  Footer& footer = found_.footer;
  if (lists_types_ && footer.base_context_checksum != 0) {
    footer.format_version = kFirstListVersion;
  }
  const bool names_index = footer.traits().has_context_checksums;
  const auto index =
      std::find_if(indexes_.begin(), indexes_.end(), [&](const auto& found) {
        return (names_index || !IsNamed(found.handle)) && IsTopLevel(found);
      });
  if (metaindex_.has_value() && !MetaindexWasMoved()) {
    footer.metaindex = *metaindex_;
    footer.offset = metaindex_->End();
  }
  if (index != indexes_.end() && !names_index) footer.index = index->handle;
  if (index != indexes_.end() && names_index) {
    Name(kIndexBlockName, index->handle);
  }
  if (properties_.has_value()) Name(kPropertiesBlockName, *properties_);
  if (dictionary_.has_value()) Name(kDictionaryBlockName, *dictionary_);
  for (const BlockHandle& handle : range_deletions_) {
    Name(kRangeDeletionBlockName, handle);
  }
}

}  // namespace

void FindKinds(const RandomAccessFile& file, bool has_contexts,
               const BlockWalk& walk, Findings* findings, FoundTable* found) {
  const Footer known = found->footer;
  TableFinder(file, known, has_contexts, walk, findings, found).Run();
}

}  // namespace ashlar::internal
