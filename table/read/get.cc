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

// Requires: the filter is at hand, so that it gives no error.
Found AskFilterAndIndex(const OpenedTable& table, const TableFilter& filter,
                        const ParsedIndex& index, const Slice& user_key,
                        SequenceNumber snapshot, PerfContext* timing,
                        GetResult* result) {
  ParsedIndex::Search search;
  filter
      .AskKey(
          user_key, Slice(), [&] { search = index.BeginFind(user_key); },
          timing, &result->filter)
      .IgnoreError();
  if (result->filter == GetResult::Filter::kAbsent) return {};
  const StageTimer timer(&PerfContext::index_seek_nanos, timing);
  const size_t i = index.EndFind(search, user_key, TargetTail(snapshot));
  if (i == index.size()) return {};
  table.data.Fetch({&index, i});
  return {true, i};
}

}  // namespace

Status RunGet(const OpenedTable& table, const ReadOptions& options,
              const Slice& user_key, SequenceNumber snapshot,
              const MergeOperandCallback& on_operand, GetResult* result) {
  result->Reset();
  const IndexReader* const index = table.index.IfLoaded();
  const TableFilter* const filter = table.filter.IfLoaded();
  const bool at_hand = index != nullptr && filter != nullptr &&
                       index->IsOneRoot() && filter->IsAtHand();
  if (!at_hand || !table.one_search || !options.timestamp.empty()) {
    return PointLookup(table, options, user_key, snapshot, &on_operand, result)
        .Run();
  }
  PerfContext* const timing = timing_context;
  const ParsedIndex& root = index->root();
  const Found found = AskFilterAndIndex(table, *filter, root, user_key,
                                        snapshot, timing, result);
  const bool deletes_ranges = table.HasRangeDeletions(options);
  if (!found.any && !deletes_ranges) return {};
  PointLookup lookup(table, options, user_key, snapshot, &on_operand, result);
  if (!found.any) return lookup.RunWithoutBlocks();
  IndexCursor at(&table.index);
  at.SeekToBlock(&root, found.block);
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
