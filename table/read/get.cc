#include "table/read/get.h"

#include "table/index/index_cursor.h"
#include "table/read/point_lookup.h"
#include "table/read/word_answer.h"

namespace ashlar::internal {

namespace {

// The key's first block, in tables where one search finds it.
struct Found {
  bool any = false;
  size_t block = 0;
};

// Asks a filter that is at hand, so that it gives no error, and searches the
// root of the index meanwhile.
Found AskFilterAndIndex(const OpenedTable& table, const TableFilter& filter,
                        const ParsedIndex& root, const Slice& user_key,
                        SequenceNumber snapshot, PerfContext* timing,
                        GetResult* result) {
  ParsedIndex::Search search;
  filter
      .AskKey(
          user_key, Slice(), [&] { search = root.BeginFind(user_key); }, timing,
          &result->filter)
      .IgnoreError();
  if (result->filter == GetResult::Filter::kAbsent) return {};
  const StageTimer timer(&PerfContext::index_seek_nanos, timing);
  const size_t i = root.EndFind(search, user_key, TargetTail(snapshot));
  if (i == root.size()) return {};
  table.data.Fetch({&root, i});
  return {true, i};
}

// Does the same if the filter or the root is in the block cache. Makes *held
// hold the root unless the filter rules the key out.
Status AskCachedParts(const OpenedTable& table, const TableFilter& filter,
                      const IndexReader& index, const ReadOptions& options,
                      const Slice& user_key, SequenceNumber snapshot,
                      PerfContext* timing, GetResult* result, IndexHold* held,
                      Found* found) {
  filter.Prefetch();
  index.PrefetchRoot();
  const LimitScope limits(options);
  Status status = filter.AskKey(
      user_key, Slice(), [] {}, timing, &result->filter);
  if (!status.ok() || result->filter == GetResult::Filter::kAbsent) {
    return status;
  }
  const StageTimer timer(&PerfContext::index_seek_nanos, timing);
  status = index.Part(0, held);
  if (!status.ok()) return status;
  const ParsedIndex& root = **held;
  const size_t i =
      root.EndFind(root.BeginFind(user_key), user_key, TargetTail(snapshot));
  if (i == root.size()) return {};
  table.data.Fetch({&root, i});
  *found = {true, i};
  return {};
}

}  // namespace

Status RunGet(const OpenedTable& table, const ReadOptions& options,
              const Slice& user_key, SequenceNumber snapshot,
              const MergeOperandCallback& on_operand, GetResult* result) {
  result->Reset();
  const IndexReader* const index = table.index.IfLoaded();
  const TableFilter* const filter = table.filter.IfLoaded();
  const bool short_way = index != nullptr && filter != nullptr &&
                         !index->is_partitioned() && filter->IsWhole();
  if (!short_way || !table.one_search || !options.timestamp.empty()) {
    return PointLookup(table, options, user_key, snapshot, &on_operand, result)
        .Run();
  }
  PerfContext* const timing = timing_context;
  IndexHold held;
  Found found;
  if (index->has_root() && filter->IsAtHand()) [[likely]] {
    held = IndexHold(&index->root());
    found = AskFilterAndIndex(table, *filter, *held, user_key, snapshot, timing,
                              result);
  } else {
    Status status = AskCachedParts(table, *filter, *index, options, user_key,
                                   snapshot, timing, result, &held, &found);
    if (!status.ok()) {
      result->Reset();
      return status;
    }
  }
  const bool deletes_ranges = table.HasRangeDeletions(options);
  if (!found.any && !deletes_ranges) return {};
  PointLookup lookup(table, options, user_key, snapshot, &on_operand, result);
  if (!found.any) return lookup.RunWithoutBlocks();
  IndexCursor at(&table.index);
  at.SeekToBlock(held.get(), found.block);
  PinnedBlock block;
  {
    const StageTimer timer(&PerfContext::block_load_nanos, timing);
    Status status = table.data.Load(at.place(), options, &block, at.note());
    if (!status.ok()) {
      result->Reset();
      return status;
    }
  }
  const StageTimer timer(&PerfContext::block_seek_nanos, timing);
  const WordPlace place = LookAtWords(table, block, user_key);
  if (!deletes_ranges && AnswerByWords(place, user_key, snapshot,
                                       /*shared=*/false, &block, result)) {
    return {};
  }
  return lookup.RunFrom(&at, &block, /*shared=*/false);
}

}  // namespace ashlar::internal
