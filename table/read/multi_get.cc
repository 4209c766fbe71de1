#include "table/read/multi_get.h"

#include <algorithm>
#include <array>
#include <bit>

#include "table/index/index_cursor.h"
#include "table/read/point_lookup.h"
#include "table/read/target_key.h"
#include "table/read/word_answer.h"
#include "util/mem/memory_limit.h"

namespace ashlar::internal {

namespace {

constexpr size_t kChunk = 32;
static_assert(kChunk <= ParsedIndex::kBatch && kChunk <= kBlockBatchMax &&
              kChunk <= kFilterBatchMax);

// Numbers the blocks of a chunk, by their part of the index and their place in
// it.
class BlockNumbers {
 public:
  BlockNumbers() { numbers_.fill(kFree); }

  size_t size() const { return size_; }
  // Returns the number of the block. A new block gets the size() from before
  // the call.
  uint8_t NumberOf(const BlockNote& note) {
    const uint64_t mixed =
        (note.i + reinterpret_cast<uint64_t>(note.part) / 64) *
        0x9E3779B97F4A7C15;
    for (size_t at = mixed >> kShift;; at = (at + 1) % kSize) {
      if (numbers_[at] == kFree) {
        numbers_[at] = size_;
        notes_[size_].part = note.part;
        notes_[size_].i = note.i;
        return size_++;
      }
      const BlockNote& there = notes_[numbers_[at]];
      if (there.i == note.i && there.part == note.part) return numbers_[at];
    }
  }

 private:
  static constexpr size_t kSize = 2 * kChunk;
  static constexpr int kShift = 64 - std::countr_zero(kSize);
  static constexpr uint8_t kFree = 0xff;
  std::array<uint8_t, kSize> numbers_;  // one cache line
  std::array<BlockNote, kChunk> notes_;
  uint8_t size_ = 0;
};

// A set of keys of the chunk, walked from the lowest number up.
class KeySet {
 public:
  explicit KeySet(size_t n) : bits_((uint64_t{1} << n) - 1) {}
  void Remove(size_t k) { bits_ &= ~(uint64_t{1} << k); }
  bool empty() const { return bits_ == 0; }
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (uint64_t left = bits_; left != 0; left &= left - 1) {
      visit(static_cast<size_t>(std::countr_zero(left)));
    }
  }

 private:
  uint64_t bits_;
};

// What the keys of a MultiGet have in common.
struct BatchRead {
  const OpenedTable& table;
  const ReadOptions& options;
  SequenceNumber snapshot;
  const BatchOperandCallback& on_operand;
};

class MultiGetChunk {
 public:
  // `first_key` is the number of the first of them in the whole batch.
  MultiGetChunk(const BatchRead& read, size_t first_key,
                std::span<const Slice> user_keys, GetResult* results,
                Status* statuses)
      : read_(read),
        table_(read.table),
        first_key_(first_key),
        user_keys_(user_keys),
        results_(results),
        statuses_(statuses),
        open_(user_keys.size()) {}

  void Run() {
    open_.ForEach([&](size_t k) { results_[k].Reset(); });
    const Status memory = OrMemoryLimit([this] {
      AnswerAll();
      return Status();
    });
    if (!memory.ok()) [[unlikely]]
      CloseAll(memory);
    if (table_.counters.any()) Count();
  }

 private:
  void AnswerAll() {
    PerfContext* const timing = timing_context;
    {
      const StageTimer timer(&PerfContext::filter_nanos, timing);
      AskFilter();
    }
    {
      const StageTimer timer(&PerfContext::index_seek_nanos, timing);
      FindInIndex();
      CollectBlocks();
    }
    {
      const StageTimer timer(&PerfContext::block_load_nanos, timing);
      LoadBlocks();
    }
    {
      const StageTimer timer(&PerfContext::block_seek_nanos, timing);
      if (!table_.HasRangeDeletions(read_.options)) AnswerByWordsOfBlocks();
      open_.ForEach([&](size_t k) {
        if (!requests_[block_of_[k]].postponed) Search(k);
      });
    }
    if (!open_.empty()) SearchPostponed();
  }

  void Count() const {
    PointReads reads;
    for (size_t k = 0; k < user_keys_.size(); ++k) reads.Add(results_[k]);
    table_.counters.CountMultiGet(reads, table_.AsksPrefixesAlone());
  }

  // Ends key k: it has its answer.
  void Close(size_t k, const Status& status) {
    open_.Remove(k);
    if (status.ok()) {
      statuses_[k] = Status();
    } else {
      results_[k].Reset();
      statuses_[k] = table_.Named(status);
    }
  }

  void CloseAll(const Status& status) {
    open_.ForEach([&](size_t k) { Close(k, status); });
  }

  // Does what is left of a Get if no block can have the key.
  void CloseWithoutBlocks(size_t k) {
    if (table_.HasRangeDeletions(read_.options)) {
      return Close(k, WithLookup(k, [](PointLookup* lookup) {
                     return lookup->RunWithoutBlocks();
                   }));
    }
    Close(k, Status());
  }

  template <typename Use>
  Status WithLookup(size_t k, const Use& use) {
    MergeOperandCallback on_operand;
    if (read_.on_operand) {
      on_operand = [this, k](const Slice& operand, SequenceNumber sequence) {
        return read_.on_operand(first_key_ + k, operand, sequence);
      };
    }
    PointLookup lookup(table_, read_.options, user_keys_[k], read_.snapshot,
                       &on_operand, &results_[k]);
    return use(&lookup);
  }

  void AskFilter() {
    const TableFilter* filter;
    const Status loaded = table_.filter.Need(&filter);
    if (!loaded.ok()) return CloseAll(loaded);
    filter->AskKeys(
        open_, user_keys_, [this](size_t k) { return Target(k); },
        [this](size_t k, const Status& status, GetResult::Filter answer) {
          if (!status.ok()) return Close(k, status);
          results_[k].filter = answer;
          if (answer == GetResult::Filter::kAbsent) CloseWithoutBlocks(k);
        });
  }

  TargetKey Target(size_t k) const {
    return TargetKey(table_, user_keys_[k], read_.options.timestamp,
                     read_.snapshot);
  }

  void FindInIndex() {
    if (open_.empty()) return;
    const IndexReader* index;
    Status status = table_.index.Need(&index);
    if (!status.ok()) return CloseAll(status);
    const bool together =
        !index->is_partitioned() && table_.order.timestamp_size() == 0;
    std::array<uint32_t, kChunk> places;
    if (together) {
      status = index->Part(0, &root_);
      if (!status.ok()) return CloseAll(status);
      std::array<Slice, kChunk> keys;
      size_t n = 0;
      open_.ForEach([&](size_t k) { keys[n++] = user_keys_[k]; });
      root_->FindBatch(std::span(keys).first(n), TargetTail(read_.snapshot),
                       places.data());
      for (size_t i = 0; i < n; ++i) {
        if (places[i] == root_->size()) continue;
        table_.data.Fetch({root_.get(), places[i]});
      }
    }
    size_t n = 0;
    open_.ForEach([&](size_t k) {
      cursors_[k] = IndexCursor(&table_.index);
      const bool on_block =
          together ? cursors_[k].SeekToBlock(root_.get(), places[n++])
                   : cursors_[k].Seek(Target(k).slice());
      if (on_block) return;
      if (!cursors_[k].status().ok()) return Close(k, cursors_[k].status());
      CloseWithoutBlocks(k);
    });
  }

  // Finds the block of each key. A key that cannot be in its first block goes
  // on to later ones by itself.
  void CollectBlocks() {
    BlockNumbers numbers;
    open_.ForEach([&](size_t k) {
      IndexCursor& at = cursors_[k];
      bool done = false;
      while (!PointLookup::NeedsBlock(table_, user_keys_[k], at, &results_[k],
                                      &done)) {
        if (!done && at.Next()) continue;
        if (!done && !at.status().ok()) return Close(k, at.status());
        return CloseWithoutBlocks(k);
      }
      const uint8_t number = numbers.NumberOf(at.note());
      block_of_[k] = number;
      ++keys_of_block_[number];
      if (number != num_blocks_) return;
      BlockRequest& request = requests_[num_blocks_++];
      at.FillPlace(&request.place);
      request.note = at.note();
      request.block = &blocks_[number];
    });
  }

  void LoadBlocks() {
    const auto requests = std::span(requests_).first(num_blocks_);
    table_.data.LoadBatch(requests, read_.options);
    RestoreBlocks(requests);
    bool all_loaded = true;
    for (const BlockRequest& r : requests) all_loaded &= r.status.ok();
    if (all_loaded) return;
    open_.ForEach([&](size_t k) {
      const Status& status = requests_[block_of_[k]].status;
      if (!status.ok()) Close(k, status);
    });
  }

  // Restores keys. Blocks with restored keys may be far larger; those beyond
  // the limit are postponed too, and read again.
  void RestoreBlocks(std::span<BlockRequest> requests) const {
    if (table_.key_form.IsAsStored()) [[likely]]
      return;
    uint64_t held = 0;
    for (const BlockRequest& r : requests) held += r.block->bytes();
    const uint64_t most = std::max(held, kBlockBatchBytes);
    for (BlockRequest& r : requests) {
      if (!r.status.ok() || r.postponed) continue;
      r.postponed = held > most;
      held -= r.block->bytes();
      if (r.postponed) {
        *r.block = PinnedBlock();
      } else {
        r.status = table_.RestoreData(r.place, Slice(), r.block);
        held += r.block->bytes();
      }
    }
  }

  void AnswerByWordsOfBlocks() {
    std::array<WordPlace, kChunk> places;
    open_.ForEach([&](size_t k) {
      places[k] = LookAtWords(table_, blocks_[block_of_[k]], user_keys_[k]);
    });
    open_.ForEach([&](size_t k) {
      if (AnswerByWords(places[k], user_keys_[k], read_.snapshot, IsShared(k),
                        &blocks_[block_of_[k]], &results_[k])) {
        Close(k, Status());
      }
    });
  }

  // Returns whether other keys of the chunk need the key's block too.
  bool IsShared(size_t k) const { return keys_of_block_[block_of_[k]] > 1; }

  void Search(size_t k) {
    Close(k, WithLookup(k, [&](PointLookup* lookup) {
            return lookup->RunFrom(&cursors_[k], &blocks_[block_of_[k]],
                                   IsShared(k));
          }));
  }

  // Searches the blocks that were too large to be held with the others: one at
  // a time. Of the others only those are left that values keep alive.
  void SearchPostponed() {
    for (PinnedBlock& block : blocks_) block = PinnedBlock();
    for (BlockRequest& r : std::span(requests_).first(num_blocks_)) {
      if (!r.postponed || !r.status.ok()) continue;
      Status status = table_.data.LoadPostponed(r, read_.options);
      if (status.ok()) {
        status = table_.RestoreData(r.place, Slice(), r.block);
      }
      open_.ForEach([&](size_t k) {
        if (&requests_[block_of_[k]] != &r) return;
        if (status.ok()) return Search(k);
        Close(k, status);
      });
      *r.block = PinnedBlock();
    }
  }

  const BatchRead& read_;
  const OpenedTable& table_;
  const size_t first_key_;
  const std::span<const Slice> user_keys_;
  GetResult* const results_;
  Status* const statuses_;
  KeySet open_;     // keys that have no answer yet
  IndexHold root_;  // the part that all cursors use, if there is one
  std::array<IndexCursor, kChunk> cursors_;
  std::array<uint8_t, kChunk> block_of_;
  std::array<uint8_t, kChunk> keys_of_block_ = {};
  size_t num_blocks_ = 0;
  std::array<BlockRequest, kChunk> requests_;
  std::array<PinnedBlock, kChunk> blocks_;
};

}  // namespace

void RunMultiGet(const OpenedTable& table, const ReadOptions& options,
                 std::span<const Slice> user_keys, SequenceNumber snapshot,
                 std::span<GetResult> results, std::span<Status> statuses,
                 const BatchOperandCallback& on_operand) {
  const Status usable =
      OrMemoryLimit([&] { return PointLookup::CheckOptions(table, options); });
  if (!usable.ok()) {
    for (GetResult& result : results) result.Reset();
    std::fill(statuses.begin(), statuses.end(), table.Named(usable));
    return;
  }
  table.counters.CountMultiGetCall();
  const BatchRead read{table, options, snapshot, on_operand};
  for (size_t begin = 0; begin < user_keys.size(); begin += kChunk) {
    const size_t n = std::min(kChunk, user_keys.size() - begin);
    MultiGetChunk(read, begin, user_keys.subspan(begin, n),
                  results.data() + begin, statuses.data() + begin)
        .Run();
  }
}

}  // namespace ashlar::internal
