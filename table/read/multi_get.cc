#include "table/read/multi_get.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "table/index/index_cursor.h"
#include "table/read/point_lookup.h"

namespace ashlar::internal {

namespace {

constexpr size_t kChunk = 32;
static_assert(kChunk <= WordTree::kBatch && kChunk <= DataBlocks::kBatch &&
              kChunk <= kFilterBatchMax);

// Numbers of the blocks of a chunk, by what index and place they have.
class BlockNumbers {
 public:
  // The number of the block, or, where it is new, `next`.
  uint32_t NumberOf(const BlockNote& note, uint32_t next) {
    const uint64_t mixed =
        (note.i + reinterpret_cast<uint64_t>(note.part) / 64) *
        0x9E3779B97F4A7C15;
    for (size_t at = mixed >> kShift;; at = (at + 1) % kSize) {
      Place& place = places_[at];
      if (place.number == kFree) {
        place = {note, next};
        return next;
      }
      if (place.note.i == note.i && place.note.part == note.part) {
        return place.number;
      }
    }
  }

 private:
  static constexpr size_t kSize = 2 * kChunk;
  static constexpr int kShift = 64 - std::countr_zero(kSize);
  static constexpr uint32_t kFree = ~uint32_t{0};
  struct Place {
    BlockNote note;
    uint32_t number = kFree;
  };
  std::array<Place, kSize> places_;
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

class MultiGetChunk {
 public:
  MultiGetChunk(const OpenedTable& table, const ReadOptions& options, size_t n,
                GetResult* results, Status* statuses)
      : table_(table),
        options_(options),
        results_(results),
        statuses_(statuses),
        open_(n) {}

  void AddKey(size_t k, const Slice& user_key, SequenceNumber snapshot,
              const MergeOperandCallback* on_operand) {
    results_[k].Reset();
    lookups_[k].emplace(table_, options_, user_key, snapshot, on_operand,
                        &results_[k]);
    lookups_[k]->Begin();
  }

  // All keys were added.
  void Run() {
    AskFilter();
    FindInIndex();
    CollectBlocks();
    LoadBlocks();
    open_.ForEach([&](size_t k) {
      const uint32_t block = block_of_[k];
      lookups_[k]->Enter(&blocks_[block], keys_of_block_[block] > 1);
    });
    open_.ForEach(
        [&](size_t k) { Close(k, lookups_[k]->SearchFrom(&*cursors_[k])); });
  }

 private:
  // The key has its answer.
  void Close(size_t k, const Status& status) {
    open_.Remove(k);
    if (status.ok()) {
      lookups_[k]->End();
      statuses_[k] = Status();
    } else {
      results_[k].Reset();
      statuses_[k] = table_.Named(status);
    }
  }

  void AskFilter() {
    if (table_.filter_partitions != nullptr) return AskPartitions();
    if (!table_.filter.has_value()) return;
    std::array<uint64_t, kChunk> hashes;
    std::array<size_t, kChunk> asked;
    size_t n = 0;
    open_.ForEach([&](size_t k) {
      Slice subject;
      if (!lookups_[k]->AsksFilter(&subject)) return;
      hashes[n] = table_.filter->Hash(subject);
      asked[n++] = k;
    });
    const uint64_t answers =
        table_.filter->MayMatchBatch(std::span(hashes).first(n));
    for (size_t i = 0; i < n; ++i) {
      const bool maybe = (answers >> i & 1) != 0;
      lookups_[asked[i]]->TakeFilterAnswer(maybe);
      if (!maybe) Close(asked[i], Status());
    }
  }

  void AskPartitions() {
    open_.ForEach([&](size_t k) {
      Slice subject;
      if (!lookups_[k]->AsksFilter(&subject)) return;
      bool maybe = true;
      Status status = table_.filter_partitions->MayMatch(lookups_[k]->target(),
                                                         subject, &maybe);
      if (status.ok()) lookups_[k]->TakeFilterAnswer(maybe);
      if (!status.ok() || !maybe) Close(k, status);
    });
  }

  void FindInIndex() {
    const IndexReader& index = *table_.index;
    std::array<Slice, kChunk> targets;
    std::array<uint32_t, kChunk> places;
    size_t n = 0;
    if (!index.is_partitioned()) {
      open_.ForEach([&](size_t k) { targets[n++] = lookups_[k]->target(); });
      index.root().FindBatch(std::span(targets).first(n), places.data());
      for (size_t i = 0; i < n; ++i) index.root().PrefetchHandle(places[i]);
    }
    n = 0;
    open_.ForEach([&](size_t k) {
      IndexCursor& at = cursors_[k].emplace(&index);
      const bool on_block = index.is_partitioned()
                                ? at.Seek(lookups_[k]->target())
                                : at.SeekToBlock(places[n++]);
      if (!on_block) Close(k, at.status());
    });
  }

  // Keys whose first block cannot have them go on to later ones by themselves.
  void CollectBlocks() {
    BlockNumbers numbers;
    open_.ForEach([&](size_t k) {
      IndexCursor& at = *cursors_[k];
      bool done = false;
      while (!lookups_[k]->NeedsBlock(at, &done)) {
        if (done || !at.Next()) return Close(k, done ? Status() : at.status());
      }
      const BlockNote note = at.note();
      const uint32_t number = numbers.NumberOf(note, num_blocks_);
      block_of_[k] = number;
      ++keys_of_block_[number];
      if (number != num_blocks_) return;
      requests_[num_blocks_++] = {at.place(), note, &blocks_[number], {}};
    });
  }

  void LoadBlocks() {
    const auto requests = std::span(requests_).first(num_blocks_);
    table_.data.LoadBatch(requests, options_);
    for (BlockRequest& r : requests) {
      if (!r.status.ok()) continue;
      r.status = table_.RestoreData(r.place, Slice(), r.block);
    }
    open_.ForEach([&](size_t k) {
      const Status& status = requests_[block_of_[k]].status;
      if (!status.ok()) Close(k, status);
    });
  }

  const OpenedTable& table_;
  const ReadOptions& options_;
  GetResult* const results_;
  Status* const statuses_;
  KeySet open_;  // keys that have no answer yet
  std::array<std::optional<PointLookup>, kChunk> lookups_;
  std::array<std::optional<IndexCursor>, kChunk> cursors_;
  std::array<uint32_t, kChunk> block_of_;
  std::array<uint32_t, kChunk> keys_of_block_ = {};
  uint32_t num_blocks_ = 0;
  std::array<BlockRequest, kChunk> requests_;
  std::array<PinnedBlock, kChunk> blocks_;
};

}  // namespace

void RunMultiGet(const OpenedTable& table, const ReadOptions& options,
                 std::span<const Slice> user_keys, SequenceNumber snapshot,
                 std::span<GetResult> results, std::span<Status> statuses,
                 const BatchOperandCallback& on_operand) {
  const Status usable = PointLookup::CheckOptions(table, options);
  if (!usable.ok()) {
    for (GetResult& result : results) result.Reset();
    std::fill(statuses.begin(), statuses.end(), table.Named(usable));
    return;
  }
  for (size_t begin = 0; begin < user_keys.size(); begin += kChunk) {
    const size_t n = std::min(kChunk, user_keys.size() - begin);
    std::array<MergeOperandCallback, kChunk> callbacks;
    MultiGetChunk chunk(table, options, n, results.data() + begin,
                        statuses.data() + begin);
    for (size_t k = 0; k < n; ++k) {
      if (on_operand) {
        callbacks[k] = [&on_operand, number = begin + k](
                           const Slice& operand, SequenceNumber sequence) {
          return on_operand(number, operand, sequence);
        };
      }
      chunk.AddKey(k, user_keys[begin + k], snapshot, &callbacks[k]);
    }
    chunk.Run();
  }
}

}  // namespace ashlar::internal
