// A MultiGet over several tables: waves of the stages of a KeyBatch, each stage
// for all tables before the next begins.
//
// A wave:
//
//   Place   Each key gets the first table, after those that it was looked up
//           in, that its range and filter do not rule out (LevelSearch has the
//           ranges). Tables are asked step by step, from the newest on, for the
//           keys that have none yet. While the filter of a step is asked, lines
//           of the filters of the next step are prefetched. A key is hashed
//           once for all filters. A key that a table rules out is done with
//           that table, except that its range deletions count.
//   Index   for the keys of one table after the other, then the blocks of all
//   Load    one request for the blocks of all tables (DataBlocks::LoadTogether)
//   Answer  by entry words, then by a PointLookup each, as for one table
//
// A filter that is not at hand (in the block cache, partitioned, of a LevelDB
// file) is asked in its turn too, and may read its own blocks then; so may an
// index. Both do so for keys alone that a search of one table after the other
// would bring there.
//
// State of a key. Its GetResult is that of the last table, as TableReader::Get
// leaves it, with one exception: after operands without a base value, `state`
// is kNotFound, so that the next lookup finds the result as new, and `merged_`
// has the key. What is of the operand stays in the result. If no table has a
// base value, Finish makes it kMerged again. So nothing is allocated for keys
// with operands.
//
// Errors. An error ends the key that met it. Want of memory (std::bad_alloc)
// ends all keys of the chunk that have no answer yet.

#include "ashlar/table/multi_table_get.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "table/filter/filter_bits.h"
#include "table/read/batch_limits.h"
#include "table/read/key_batch.h"
#include "table/read/level_search.h"
#include "table/read/reader_internals.h"
#include "util/mem/memory_limit.h"
#include "util/mem/stack_vector.h"

namespace ashlar {

namespace internal {

namespace {

constexpr size_t kChunk = 64;
static_assert(kChunk <= kTablesBatchMax && kChunk <= kFilterBatchMax);

// The keys that a wave looks up in one table.
struct Group : TableKeys {
  Candidate candidate;
  PointReads reads;  // only if the table counts
};

class TablesChunk : public KeyBatch<TablesChunk, kChunk> {
 public:
  // `first_key` is the number of the first of them in the whole batch.
  TablesChunk(std::span<const TableLevel> levels, const BatchRead& read,
              size_t first_key, std::span<const Slice> user_keys,
              GetResult* results, Status* statuses)
      : KeyBatch(read, user_keys, results),
        first_key_(first_key),
        statuses_(statuses),
        open_(user_keys.size()),
        search_(levels, user_keys) {}

  void Run() {
    open_.ForEach([&](size_t k) { results()[k].Reset(); });
    const LimitScope limits(read().options);
    const Status memory = OrMemoryLimit([this] {
      while (!open_.empty()) RunWave();
      return Status();
    });
    if (!memory.ok()) [[unlikely]] {
      open_.ForEach([&](size_t k) {
        Fail(k, memory);
        ++keys_of_no_table_;
      });
    }
  }
  // Returns the number of keys whose search ended in no table.
  uint64_t keys_of_no_table() const { return keys_of_no_table_; }

  // For KeyBatch.
  void Take(TableKeys* of, size_t k, const Status& status);
  MergeOperandCallback OperandsOf(size_t k) {
    return [this, k](const MergeOperand& operand, SequenceNumber sequence) {
      const bool goes_on = read().on_operand(first_key_ + k, operand, sequence);
      if (!goes_on) stopped_.Add(k);
      return goes_on;
    };
  }

 private:
  void RunWave();
  void Place();
  void AskStep(Candidates* step, KeySet* left);
  KeySet AskTable(const Candidate& candidate, const KeySet& keys);
  void AskTogether(Group* group, const FilterBitsReader& bits);
  void FetchFilters(const Candidates& step, const KeySet& keys);
  size_t HashesOf(const KeySet& keys, uint64_t* hashes, uint8_t* numbers);
  void LoadBlocks();
  void Answer();
  bool IsDeletedBehindToo(const Candidate& candidate, size_t k) const;

  void Finish(size_t k);
  void Fail(size_t k, const Status& status) {
    results()[k].Reset();
    statuses_[k] = status;
    open_.Remove(k);
  }
  static void Count(const Group& group) {
    const OpenedTable& table = *group.table;
    if (!table.counters.any()) return;
    table.counters.CountMultiGet(group.reads, table.AsksPrefixesAlone());
  }

  const size_t first_key_;
  Status* const statuses_;
  KeySet open_;     // keys that have no answer yet
  KeySet merged_;   // those of them that had operands
  KeySet stopped_;  // those whose search the callback has ended
  // What filters have said: they let the key pass; they ruled it out; a table
  // was searched without.
  KeySet passed_;
  KeySet ruled_out_;
  KeySet not_asked_;
  uint64_t keys_of_no_table_ = 0;
  LevelSearch search_;
  // By key: HashForFilter, once it is needed.
  KeySet hashed_;
  std::array<uint64_t, kChunk> hashes_;
  StackVector<Group, kChunk> groups_;
};

// Returns the table's filter if it is at hand and holds whole keys by their
// HashForFilter; else null. The one place here that looks into a filter.
const FilterBitsReader* CommonFilter(const OpenedTable& table) {
  const TableFilter* const filter = table.filter.IfLoaded();
  if (filter == nullptr) return nullptr;
  const FilterBitsReader* const bits = filter->WholeKeysAtHand();
  return bits != nullptr && bits->UsesCommonHash() ? bits : nullptr;
}

void TablesChunk::RunWave() {
  PerfContext* const timing = timing_context;
  {
    const StageTimer timer(&PerfContext::filter_nanos, timing);
    Place();
  }
  {
    const StageTimer timer(&PerfContext::index_seek_nanos, timing);
    for (Group& group : groups_) FindInIndex(&group);
    BlockNumbers<kChunk> numbers;
    for (Group& group : groups_) CollectBlocks(&group, &numbers);
  }
  {
    const StageTimer timer(&PerfContext::block_load_nanos, timing);
    LoadBlocks();
  }
  {
    const StageTimer timer(&PerfContext::block_seek_nanos, timing);
    Answer();
  }
  const bool any_postponed =
      std::any_of(groups_.begin(), groups_.end(),
                  [](const Group& group) { return !group.keys.empty(); });
  if (any_postponed) {
    ReleaseBlocks();
    for (Group& group : groups_) SearchPostponed(&group);
  }
  for (const Group& group : groups_) Count(group);
  groups_.clear();
  ForgetBlocks();
}

void TablesChunk::Place() {
  Candidates steps[2];
  Candidates* now = &steps[0];
  Candidates* next = &steps[1];
  KeySet left = open_;
  search_.Begin();
  bool any = search_.Next(left, now);
  while (any && !left.empty()) {
    const bool any_next = search_.Next(left, next);
    if (any_next) FetchFilters(*next, left);
    AskStep(now, &left);
    std::swap(now, next);
    any = any_next;
  }
  left.ForEach([&](size_t k) {
    Finish(k);
    ++keys_of_no_table_;
  });
}

// Asks the tables of a step for the keys that are left. Takes the keys that are
// to be looked up in one of them, and those that have ended, out of *left.
void TablesChunk::AskStep(Candidates* step, KeySet* left) {
  uint32_t level;
  KeySet ruled_out;
  do {
    ruled_out = KeySet();
    level = step->begin()->level;
    for (const Candidate& candidate : *step) {
      KeySet keys = candidate.keys;
      keys &= *left;
      if (keys.empty()) continue;
      const KeySet may_follow = AskTable(candidate, keys);
      *left -= keys;
      *left |= may_follow;
      ruled_out |= may_follow;
    }
  } while (search_.MayFollow(level, ruled_out, step));
}

// Returns those of the keys that the table was found not to have.
KeySet TablesChunk::AskTable(const Candidate& candidate, const KeySet& keys) {
  const OpenedTable& table = *candidate.table;
  Group& group = groups_.Add();
  group.table = &table;
  group.keys = keys;
  group.candidate = candidate;
  const Status usable = PointLookup::CheckOptions(table, read().options);
  if (!usable.ok()) [[unlikely]] {
    EndAll(&group, usable);
  } else if (const auto* const bits =
                 read().options.skip_filters ? nullptr : CommonFilter(table);
             bits != nullptr) {
    AskTogether(&group, *bits);
  } else {
    AskFilter(&group);
  }
  KeySet ruled_out = keys;
  ruled_out -= group.keys;
  ruled_out &= open_;
  if (group.keys.empty()) {
    Count(group);
    groups_.RemoveLast();
  }
  return ruled_out;
}

void TablesChunk::AskTogether(Group* group, const FilterBitsReader& bits) {
  std::array<uint64_t, kChunk> hashes;
  std::array<uint8_t, kChunk> numbers;
  const size_t n = HashesOf(group->keys, hashes.data(), numbers.data());
  const uint64_t answers = bits.MayMatchBatch(std::span(hashes).first(n));
  for (size_t i = 0; i < n; ++i) {
    const size_t k = numbers[i];
    if ((answers >> i & 1) != 0) {
      results()[k].filter = GetResult::Filter::kMaybe;
    } else {
      results()[k].filter = GetResult::Filter::kAbsent;
      EndWithoutBlocks(group, k);
    }
  }
}

void TablesChunk::FetchFilters(const Candidates& step, const KeySet& keys) {
  std::array<uint64_t, kChunk> hashes;
  std::array<uint8_t, kChunk> numbers;
  for (const Candidate& candidate : step) {
    const FilterBitsReader* const bits = CommonFilter(*candidate.table);
    if (bits == nullptr) continue;
    KeySet asked = candidate.keys;
    asked &= keys;
    const size_t n = HashesOf(asked, hashes.data(), numbers.data());
    bits->Prefetch(std::span(hashes).first(n));
  }
}

size_t TablesChunk::HashesOf(const KeySet& keys, uint64_t* hashes,
                             uint8_t* numbers) {
  size_t n = 0;
  keys.ForEach([&](size_t k) {
    if (!hashed_.Has(k)) {
      hashes_[k] = HashForFilter(user_keys()[k]);
      hashed_.Add(k);
    }
    hashes[n] = hashes_[k];
    numbers[n++] = static_cast<uint8_t>(k);
  });
  return n;
}

void TablesChunk::LoadBlocks() {
  std::array<DataBlocks::OfTable, kChunk> of_tables;
  size_t n = 0;
  for (Group& group : groups_) {
    if (group.num_blocks == 0) continue;
    of_tables[n++] = {&group.table->data, RequestsOf(group)};
  }
  DataBlocks::LoadTogether(std::span(of_tables).first(n), read().options);
  for (Group& group : groups_) TakeLoaded(&group);
}

void TablesChunk::Answer() {
  const auto has_words = [&](const Group& group) {
    return !group.table->HasRangeDeletions(read().options);
  };
  for (const Group& group : groups_) {
    if (has_words(group)) LookAtWords(group);
  }
  for (Group& group : groups_) {
    if (has_words(group)) AnswerByWords(&group);
  }
  for (Group& group : groups_) SearchBlocks(&group);
}

// Returns whether the range deletion that a table's answer is also is in the
// table behind it in the level. That one knows better: it may have versions of
// the key that are newer than the range deletion.
bool TablesChunk::IsDeletedBehindToo(const Candidate& candidate,
                                     size_t k) const {
  const GetResult& result = results()[k];
  if (result.state != GetResult::State::kDeleted ||
      result.type != ValueType::kTypeRangeDeletion) {
    return false;
  }
  const OpenedTable* const behind = search_.Behind(candidate, k);
  if (behind == nullptr || !behind->HasRangeDeletions(read().options)) {
    return false;
  }
  return behind->range_deletions->fragments
             .NewestOver(user_keys()[k], read().snapshot,
                         read().options.timestamp)
             .sequence >= result.sequence;
}

// Says what becomes of a key that has its answer in a table.
void TablesChunk::Take(TableKeys* of, size_t k, const Status& status) {
  auto* const group = static_cast<Group*>(of);
  GetResult& result = results()[k];
  if (!status.ok()) [[unlikely]] {
    if (group->table->counters.any()) ++group->reads.keys;
    return Fail(k, group->table->Named(status));
  }
  using State = GetResult::State;
  const bool goes_on = result.state == State::kNotFound ||
                       (result.state == State::kMerged && !stopped_.Has(k)) ||
                       IsDeletedBehindToo(group->candidate, k);
  if (group->table->counters.any()) {
    group->reads.Add(result);
    // The key counts where its search ends.
    if (goes_on) --group->reads.keys;
  }
  switch (std::exchange(result.filter, GetResult::Filter::kNone)) {
    case GetResult::Filter::kMaybe:
      passed_.Add(k);
      break;
    case GetResult::Filter::kAbsent:
      ruled_out_.Add(k);
      break;
    case GetResult::Filter::kNone:
      not_asked_.Add(k);
  }
  if (!goes_on) return Finish(k);
  if (result.state == State::kMerged) merged_.Add(k);
  result.state = State::kNotFound;
  search_.GoOnAfter(group->candidate, k);
}

// Ends key k: it has its answer.
void TablesChunk::Finish(size_t k) {
  GetResult& result = results()[k];
  if (passed_.Has(k)) {
    result.filter = GetResult::Filter::kMaybe;
  } else if (ruled_out_.Has(k) && !not_asked_.Has(k)) {
    result.filter = GetResult::Filter::kAbsent;
  }
  if (result.state == GetResult::State::kNotFound && merged_.Has(k)) {
    result.state = GetResult::State::kMerged;
  }
  statuses_[k] = Status();
  open_.Remove(k);
}

// Returns null if there are no tables.
const OpenedTable* FirstTable(std::span<const TableLevel> levels) {
  for (const TableLevel& level : levels) {
    if (level.tables.empty()) continue;
    return &ReaderInternals::TableOf(*level.tables[0].table);
  }
  return nullptr;
}

}  // namespace

}  // namespace internal

void MultiGetFromTables(const ReadOptions& options,
                        std::span<const TableLevel> levels,
                        std::span<const Slice> user_keys,
                        SequenceNumber snapshot, std::span<GetResult> results,
                        std::span<Status> statuses,
                        const BatchOperandCallback& on_operand) {
  using namespace internal;
  assert(results.size() == user_keys.size() &&
         statuses.size() == user_keys.size());
  const OpenedTable* const first = FirstTable(levels);
  const ReadCounters counters =
      first == nullptr ? ReadCounters() : first->counters;
  const HistogramTimer timer(counters, Histogram::kDbMultiGet);
  counters.CountMultiGetCall();
  const BatchRead read{options, snapshot, on_operand};
  BatchLimits limits(options,
                     first == nullptr ? FileGate() : first->source.gate());
  for (size_t begin = 0; begin < user_keys.size(); begin += kChunk) {
    if (limits.any()) [[unlikely]] {
      const Status ended = limits.Check();
      if (!ended.ok()) {
        return BatchLimits::End(ended, results.subspan(begin),
                                statuses.subspan(begin));
      }
    }
    const size_t n = std::min(kChunk, user_keys.size() - begin);
    TablesChunk chunk(levels, read, begin, user_keys.subspan(begin, n),
                      results.data() + begin, statuses.data() + begin);
    chunk.Run();
    if (limits.any()) [[unlikely]]
      limits.Count(results.subspan(begin, n), statuses.subspan(begin, n));
    if (!counters.any()) continue;
    counters.CountMultiGet({.keys = chunk.keys_of_no_table()},
                           /*of_prefix=*/false);
  }
  counters.SampleMultiGet(results);
}

}  // namespace ashlar
