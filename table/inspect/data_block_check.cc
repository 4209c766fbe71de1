#include "table/inspect/data_block_check.h"

#include "ashlar/table/entry/timed_value.h"
#include "ashlar/table/entry/wide_columns.h"
#include "table/block/hash_index.h"
#include "table/inspect/prove_block.h"
#include "table/inspect/restart_points.h"

namespace ashlar::internal {

namespace {

// Returns Corruption unless the block's hash index leads to the entry of `it`,
// in restart interval `interval`.
Status CheckHashIndex(const BlockView& view, const BlockPlace& place,
                      const BlockIterator& it, uint32_t interval) {
  const uint8_t bucket = BucketOf(view, UserKeyOf(it.key()));
  if (bucket == kSharedBucket || bucket == interval) return {};
  return place.Corruption("hash index does not lead to a key",
                          DescribeInternalKey(it.key()) + ": found bucket " +
                              std::to_string(bucket) + ", expected " +
                              std::to_string(interval));
}

// Returns Corruption unless a Get of this entry could return its value.
Status CheckValue(const BlockPlace& place, const BlockIterator& it) {
  Status status;
  if (TypeOf(it.key()) == ValueType::kTypeWideColumnEntity) {
    std::vector<WideColumn> columns;
    status = DecodeWideColumns(it.value(), &columns);
  } else if (TypeOf(it.key()) == ValueType::kTypeValuePreferredSeqno) {
    TimedValue timed;
    status = DecodeTimedValue(it.value(), &timed);
  }
  return place.Wrap("value of " + DescribeInternalKey(it.key()), status);
}

// For blocks whose walk failed where the order is not known. A key with a type
// or at a place that it cannot have says nothing of the other entries: if each
// can be decoded, all of them can be shown.
void CheckPlainEntries(const BlockView& view, const BlockPlace& place,
                       BlockInfo* info) {
  info->num_entries = 0;
  const Status status = ForEachPlainEntry(
      view, place, [&](const Slice& key, const Slice&) -> Status {
        ++info->num_entries;
        return key.size() >= kInternalKeyTailBytes
                   ? Status()
                   : place.Corruption(
                         "bad entry",
                         "key is shorter than its tail of 8 bytes");
      });
  info->contents_sound = status.ok();
}

uint32_t SharedBytes(const BlockView& view, uint32_t offset) {
  EntryHeader header;
  const char* const p =
      DecodeEntryNumbers(view.entries + offset, view.limit(), &header);
  return p == nullptr ? 0 : header.shared;
}

// For files in which one sequence number replaces those of all entries: it may
// make versions of a key equal.
class ReadKeys {
 public:
  ReadKeys(const TableFacts& facts, const BlockView& view)
      : facts_(facts), budget_(view.entries_size) {}

  // To be called for each entry.
  Status Pass(const Slice& stored, const BlockPlace& place) {
    if (facts_.key_form.IsAsStored()) return {};
    if (!budget_.Take(stored.size())) {
      return place.Corruption(
          "bad entry",
          "its keys together are many times larger than the block");
    }
    const Slice key = facts_.AsRead(stored, &whole_);
    if (!last_.empty() && UserKeyOf(last_) == UserKeyOf(key) &&
        TailOf(last_) <= TailOf(key)) {
      return place.Corruption(
          "two keys are equal under the global sequence number",
          DescribeInternalKey(key));
    }
    last_.assign(key.data(), key.size());
    return {};
  }

 private:
  const TableFacts& facts_;
  KeyBudget budget_;
  std::string whole_;
  std::string last_;
};

// Returns Corruption unless filter, hash index and the block's own hash index
// lead to the walk's current entry: number `number`, in restart interval
// `interval`.
Status CheckIsFound(const DataBlockInputs& inputs, const BlockView& view,
                    const BlockPlace& place, DataWalk* walk, uint64_t number,
                    uint32_t interval) {
  const BlockIterator& it = walk->iterator;
  const bool knows_order = inputs.facts.order.has_value();
  std::string whole;
  if (knows_order && inputs.AsksFilter(number) &&
      !inputs.meta.filter.Knows(inputs.facts.AsRead(it.key(), &whole),
                                place.handle.offset)) {
    return place.Corruption("filter does not match a key",
                            DescribeInternalKey(it.key()));
  }
  if (walk->hash_index.has_value() && inputs.IsIndexed(*place.index) &&
      !inputs.meta.hash_index.Knows(it.key(), static_cast<size_t>(*place.index),
                                    &*walk->hash_index)) {
    return place.Corruption("hash search index does not lead to a key",
                            DescribeInternalKey(it.key()));
  }
  if (view.num_buckets == 0 || !knows_order) return {};
  return CheckHashIndex(view, place, it, interval);
}

Status WalkInOrder(const DataBlockInputs& inputs, const BlockView& view,
                   const BlockPlace& place, DataWalk* walk, BlockInfo* info) {
  const TableFacts& facts = inputs.facts;
  BlockIterator& it = walk->iterator;
  const size_t i = static_cast<size_t>(*place.index);
  it.Reset(view, place);
  std::string first_key;
  RestartPoints restarts(view);
  ReadKeys keys(facts, view);
  Status found_by;  // the first fault of a key or value for a reader
  for (bool on_entry = it.SeekToFirst(); on_entry; on_entry = it.Next()) {
    if (info->num_entries++ == 0) first_key = it.key().ToString();
    if (facts.has_blobs) {
      Status blobs = walk->blobs.AddOf(it.key(), it.value(), i);
      if (found_by.ok() && !blobs.ok()) {
        found_by =
            place.Wrap("value of " + DescribeInternalKey(it.key()), blobs);
      }
    }
    restarts.Pass(it.offset(), SharedBytes(view, it.offset()));
    if (found_by.ok()) found_by = keys.Pass(it.key(), place);
    if (found_by.ok()) found_by = CheckValue(place, it);
    if (found_by.ok()) {
      found_by = CheckIsFound(inputs, view, place, walk, info->num_entries - 1,
                              restarts.interval());
    }
  }
  if (!it.status().ok()) {
    if (!facts.order.has_value()) CheckPlainEntries(view, place, info);
    return it.status();
  }
  info->contents_sound = true;
  if (info->num_entries == 0) return {};
  if (inputs.options.first_keys) {
    info->first_key = UserKeyOf(first_key).ToString();
  }
  // A wrong restart point is reported first: other faults may follow from it.
  Status sought = restarts.Judge(place);
  if (!sought.ok()) return sought;
  return found_by.ok() ? CheckSeparators(inputs, place, first_key, it.key())
                       : found_by;
}

Status WalkDataBlock(const DataBlockInputs& inputs, const Slice& contents,
                     const BlockPlace& place, DataWalk* walk, BlockInfo* info) {
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  if (inputs.facts.order.has_value() &&
      ProveBlock(inputs, view, place, walk, info)) {
    return {};
  }
  return WalkInOrder(inputs, view, place, walk, info);
}

}  // namespace

bool DataWalk::FilterKnowsAll() {
  const bool known = !denied && (asked == nullptr || questions.AskRest(*asked));
  questions.Clear();
  asked = nullptr;
  denied = false;
  return known;
}

bool CheckDataBlock(const DataBlockInputs& inputs, size_t i, DataWalk* walk,
                    BlockInfo* info, Slice* contents) {
  const BlockPlace place{BlockKind::kData, inputs.HandleOf(i), i};
  if (!inputs.file.Read(place, walk->reads, info, contents) ||
      !inputs.file.Decodes(place)) {
    return false;
  }
  info->status = WalkDataBlock(inputs, *contents, place, walk, info);
  return info->status.ok() || info->contents_sound;
}

Status CheckSeparators(const DataBlockInputs& inputs, const BlockPlace& place,
                       const Slice& first_key, const Slice& last_key) {
  constexpr const char* kWrongSide =
      "key on the wrong side of its index separator";
  const size_t i = static_cast<size_t>(*place.index);
  const TableFacts& facts = inputs.facts;
  const IndexedBlocks& index = inputs.index;
  if (!inputs.IsIndexed(i)) return {};
  const IndexItem& item = index.data_blocks[i];
  const std::optional<SeparatorOrder> order = index.Order(facts);
  std::string whole;
  if (order.has_value() &&
      order->CompareToKey(item.separator, facts.AsRead(last_key, &whole)) < 0) {
    return place.Corruption(kWrongSide,
                            DescribeInternalKey(last_key) + " is larger");
  }
  if (order.has_value() && i > 0 &&
      order->CompareToKey(index.SeparatorBefore(i),
                          facts.AsRead(first_key, &whole)) >= 0) {
    const bool of_part = index.SeparatorBefore(i).data() !=
                         index.data_blocks[i - 1].separator.data();
    return place.Corruption(
        kWrongSide,
        DescribeInternalKey(first_key) +
            " is not larger than the separator of the " +
            (of_part ? "index partition before it in the top-level index"
                     : "block before"));
  }
  if (index.form.first_keys && item.first_key != first_key) {
    return place.Corruption("first key differs from that in the index",
                            "expected " + DescribeInternalKey(item.first_key) +
                                ", found " + DescribeInternalKey(first_key));
  }
  return {};
}

}  // namespace ashlar::internal
