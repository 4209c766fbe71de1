// The short way of a read of one key: filter, index, block.
//
// get.h describes it. get.cc makes a Get of it, and visit_versions.cc a read
// that visits versions. They are compiled apart, so that all of it is inlined
// in each.
//
// Any number of threads.
#ifndef ASHLAR_TABLE_READ_POINT_READ_H_
#define ASHLAR_TABLE_READ_POINT_READ_H_

#include "ashlar/table/table_reader.h"
#include "table/index/index_cursor.h"
#include "table/read/opened_table.h"
#include "table/read/point_lookup.h"
#include "table/read/word_answer.h"

namespace ashlar::internal {

// The key's first block, in tables where one search finds it.
struct FirstBlock {
  bool any = false;
  size_t block = 0;
};

inline FirstBlock EndSearch(const OpenedTable& table, const ParsedIndex& root,
                            const ParsedIndex::Search& search,
                            const Slice& user_key, SequenceNumber snapshot) {
  const size_t i = root.EndFind(search, user_key, TargetTail(snapshot));
  if (i == root.size()) return {};
  table.data.Fetch({&root, i});
  return {true, i};
}

// Asks a filter that is at hand, and searches the root of the index meanwhile.
// Inlined, as AnswerFromBlock is: each call would cost a read 15 instructions
// of 250.
[[gnu::always_inline]] inline FirstBlock AskFilterAndIndex(
    const OpenedTable& table, const TableFilter& filter,
    const ParsedIndex& root, const Slice& user_key, SequenceNumber snapshot,
    PerfContext* timing, GetResult* result) {
  ParsedIndex::Search search;
  result->filter = filter.AskKeyAtHand(
      user_key, [&] { search = root.BeginFind(user_key); }, timing);
  if (result->filter == GetResult::Filter::kAbsent) return {};
  const StageTimer timer(&PerfContext::index_seek_nanos, timing);
  return EndSearch(table, root, search, user_key, snapshot);
}

// Does the same if the filter or the root is in the block cache. Makes *held
// hold the root unless the filter rules the key out.
inline Status AskCachedParts(const OpenedTable& table,
                             const TableFilter& filter,
                             const IndexReader& index,
                             const ReadOptions& options, const Slice& user_key,
                             SequenceNumber snapshot, PerfContext* timing,
                             GetResult* result, IndexHold* held,
                             FirstBlock* found) {
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
  *found = EndSearch(table, root, root.BeginFind(user_key), user_key, snapshot);
  return {};
}

// What a read of one key is asked.
struct PointQuestion {
  const OpenedTable& table;
  const ReadOptions& options;
  const Slice& user_key;
  SequenceNumber snapshot;
  const MergeOperandCallback* on_operand = nullptr;
  const VersionCallback* visit = nullptr;
};

// Each is compiled for itself, so that neither pays for the other.
enum class PointReadKind : bool { kGet, kVisit };

template <PointReadKind kKind>
[[gnu::always_inline]] inline PointLookup LookupOf(const PointQuestion& q,
                                                   GetResult* result) {
  return {q.table,      q.options,
          q.user_key,   q.snapshot,
          q.on_operand, kKind == PointReadKind::kVisit ? q.visit : nullptr,
          result};
}

// Answers from the block that was found, after filter and index were asked.
// Requires: `root` is the index that has the block, if any was found.
template <PointReadKind kKind>
[[gnu::always_inline]] inline Status AnswerFromBlock(const PointQuestion& q,
                                                     const ParsedIndex* root,
                                                     const FirstBlock& found,
                                                     PerfContext* timing,
                                                     GetResult* result) {
  const bool deletes_ranges = q.table.HasRangeDeletions(q.options);
  if (!found.any && !deletes_ranges) return {};
  if (!found.any) return LookupOf<kKind>(q, result).RunWithoutBlocks();
  IndexCursor at(&q.table.index);
  at.SeekToBlock(root, found.block);
  PinnedBlock block;
  {
    const StageTimer timer(&PerfContext::block_load_nanos, timing);
    Status status = q.table.data.Load(at.place(), q.options, &block, at.note());
    if (!status.ok()) {
      result->Reset();
      return status;
    }
  }
  const StageTimer timer(&PerfContext::block_seek_nanos, timing);
  const WordPlace place = LookAtWords(q.table, block, q.user_key);
  if (kKind == PointReadKind::kGet && !deletes_ranges &&
      AnswerByWords(place, q.user_key, q.snapshot, /*shared=*/false, &block,
                    result)) {
    return {};
  }
  // Made only here: most answers need none.
  PointLookup lookup = LookupOf<kKind>(q, result);
  if (kKind == PointReadKind::kVisit && !deletes_ranges &&
      lookup.VisitByWords(place, &block)) {
    return {};
  }
  return lookup.RunFrom(&at, &block, /*shared=*/false);
}

template <PointReadKind kKind>
Status RunPointRead(const PointQuestion& q, GetResult* result);

// Does the same as RunPointRead if the table has no quick root. Gives it one if
// it can have one, and then starts again.
template <PointReadKind kKind>
[[gnu::noinline]] Status RunWithoutQuickRoot(const PointQuestion& q,
                                             GetResult* result) {
  const IndexReader* const index = q.table.index.IfLoaded();
  const TableFilter* const filter = q.table.filter.IfLoaded();
  const bool short_way = index != nullptr && filter != nullptr &&
                         !index->is_partitioned() && filter->IsWhole();
  if (!short_way || !q.table.one_search || !q.options.timestamp.empty() ||
      q.options.skip_filters) {
    return LookupOf<kKind>(q, result).Run();
  }
  PerfContext* const timing = timing_context;
  if (index->has_root() && filter->IsAtHand()) {
    q.table.quick_root.PublishFirst(&index->root());
    return RunPointRead<kKind>(q, result);
  }
  FirstBlock found;
  IndexHold held;
  Status status =
      AskCachedParts(q.table, *filter, *index, q.options, q.user_key,
                     q.snapshot, timing, result, &held, &found);
  if (!status.ok()) {
    result->Reset();
    return status;
  }
  return AnswerFromBlock<kKind>(q, held.get(), found, timing, result);
}

template <PointReadKind kKind>
[[gnu::always_inline]] inline Status RunPointRead(const PointQuestion& q,
                                                  GetResult* result) {
  result->Reset();
  const ParsedIndex* const root = q.table.quick_root.Load();
  if (root == nullptr || !q.options.timestamp.empty() || q.options.skip_filters)
      [[unlikely]] {
    return RunWithoutQuickRoot<kKind>(q, result);
  }
  PerfContext* const timing = timing_context;
  const FirstBlock found =
      AskFilterAndIndex(q.table, *q.table.filter.IfLoaded(), *root, q.user_key,
                        q.snapshot, timing, result);
  return AnswerFromBlock<kKind>(q, root, found, timing, result);
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_POINT_READ_H_
