// KeyBatch: the stages of a MultiGet, each for some keys of one table.
//
// MultiGet of one table (multi_get.cc) and MultiGet over several tables
// (multi_table_get.cc) are made of it. Each stage is done for all keys before
// the next begins, so that the waits for memory overlap:
//
//   Filter  the owner asks it: AskKeys, or for all tables together
//   Index   FindInIndex: all searches go down the index together.
//           CollectBlocks: keys that need the same block share a request; a
//           small table finds equal ones
//   Load    the owner loads the blocks of `requests`, and calls TakeLoaded
//   Look    LookAtWords: each key finds its entry by the block's entry words,
//           and prefetches it
//   Answer  AnswerByWords compares the entry, and pins the value
//   Search  SearchBlocks: what the entry words do not decide (blocks without
//           words, more versions in the next block, merge operands, range
//           deletions) is searched by a PointLookup, one key after the other.
//           SearchPostponed: the same, for blocks that were too large to be
//           held with the others
//
// Between stages a key needs no more than its place in the index and the number
// of its block. So the batch stays in the processor's first-level cache.
//
// A stage ends a key when it has its answer in this table: it takes the key out
// of the set, and passes it to the owner's Take, which says what becomes of it.
//
// Ownership. Blocks belong to the batch. A block that only one key needs goes
// to that key's value. A block that several keys need is shared by their
// values, with one count (SharedCleanable), and is released with the last of
// them.
//
// One thread at a time; other threads may use the tables meanwhile. Stages may
// throw std::bad_alloc.
#ifndef ASHLAR_TABLE_READ_KEY_BATCH_H_
#define ASHLAR_TABLE_READ_KEY_BATCH_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ashlar/table/table_reader.h"
#include "table/index/index_cursor.h"
#include "table/read/opened_table.h"
#include "table/read/point_lookup.h"
#include "table/read/target_key.h"
#include "table/read/word_answer.h"

namespace ashlar::internal {

// A set of keys of a batch, walked from the lowest number up.
class KeySet {
 public:
  static constexpr size_t kMost = 64;

  KeySet() = default;
  // The keys 0 to n - 1.
  explicit KeySet(size_t n)
      : bits_(n == kMost ? ~uint64_t{0} : (uint64_t{1} << n) - 1) {}
  bool empty() const { return bits_ == 0; }
  bool Has(size_t k) const { return (bits_ >> k & 1) != 0; }
  void Add(size_t k) { bits_ |= uint64_t{1} << k; }
  void Remove(size_t k) { bits_ &= ~(uint64_t{1} << k); }
  KeySet& operator&=(const KeySet& other) {
    bits_ &= other.bits_;
    return *this;
  }
  KeySet& operator|=(const KeySet& other) {
    bits_ |= other.bits_;
    return *this;
  }
  KeySet& operator-=(const KeySet& other) {
    bits_ &= ~other.bits_;
    return *this;
  }
  // Visits the keys that are in the set at the call.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (uint64_t left = bits_; left != 0; left &= left - 1) {
      visit(static_cast<size_t>(std::countr_zero(left)));
    }
  }

 private:
  uint64_t bits_ = 0;
};

// Numbers the blocks of a batch, by their part of the index and their place in
// it.
template <size_t kMostBlocks>
class BlockNumbers {
 public:
  BlockNumbers() { numbers_.fill(kFree); }

  size_t size() const { return size_; }
  // Returns the number of the block. A new block gets the size() from before
  // the call. Blocks with numbers below `first` are of other tables, and never
  // the same.
  uint8_t NumberOf(const BlockNote& note, size_t first) {
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
      if (there.i == note.i && there.part == note.part &&
          numbers_[at] >= first) {
        return numbers_[at];
      }
    }
  }

 private:
  static constexpr size_t kSize = 2 * kMostBlocks;
  static constexpr int kShift = 64 - std::countr_zero(kSize);
  static constexpr uint8_t kFree = 0xff;
  static_assert(std::has_single_bit(kSize) && kSize < kFree);
  std::array<uint8_t, kSize> numbers_;  // one or two cache lines
  std::array<BlockNote, kMostBlocks> notes_;
  uint8_t size_ = 0;
};

// What the keys of a MultiGet have in common.
struct BatchRead {
  const ReadOptions& options;
  SequenceNumber snapshot;
  const BatchOperandCallback& on_operand;
  // Not null: versions are visited, and no answers given.
  const BatchVersionCallback* visit = nullptr;
};

// Keys that are looked up in one table.
struct TableKeys {
  const OpenedTable* table = nullptr;
  KeySet keys;     // those that have no answer yet
  IndexHold root;  // the part that all cursors use, if there is one
  // Their blocks among those of the batch.
  size_t first_block = 0;
  size_t num_blocks = 0;
};

// `Owner` derives from this, and has
//
//   // Key k has its answer in the table: results()[k], unless the status is an
//   // error. Messages do not name the file.
//   void Take(TableKeys* of, size_t k, const Status& status);
//   // Returns what a lookup of key k passes merge operands to.
//   MergeOperandCallback OperandsOf(size_t k);
//   // If it visits versions: what a lookup of key k passes them to.
//   VersionCallback VersionsOf(size_t k);
template <typename Owner, size_t kMostKeys>
class KeyBatch {
 public:
  KeyBatch(const KeyBatch&) = delete;
  KeyBatch& operator=(const KeyBatch&) = delete;

 protected:
  static_assert(kMostKeys <= KeySet::kMost);

  KeyBatch(const BatchRead& read, std::span<const Slice> user_keys,
           GetResult* results)
      : read_(read), user_keys_(user_keys), results_(results) {}
  ~KeyBatch() = default;

  const BatchRead& read() const { return read_; }
  std::span<const Slice> user_keys() const { return user_keys_; }
  GetResult* results() const { return results_; }

  void End(TableKeys* of, size_t k, const Status& status) {
    static_cast<Owner*>(this)->Take(of, k, status);
    of->keys.Remove(k);
  }
  void EndAll(TableKeys* of, const Status& status) {
    of->keys.ForEach([&](size_t k) { End(of, k, status); });
  }
  // Does what is left of a Get if no block can have the key.
  void EndWithoutBlocks(TableKeys* of, size_t k) {
    if (of->table->HasRangeDeletions(read_.options)) {
      return End(of, k, WithLookup(*of->table, k, [](PointLookup* lookup) {
                   return lookup->RunWithoutBlocks();
                 }));
    }
    End(of, k, Status());
  }

  // Asks the table's filter, whatever it is. Ends the keys that it rules out.
  void AskFilter(TableKeys* of) {
    if (read_.options.skip_filters) [[unlikely]]
      return;
    const OpenedTable& table = *of->table;
    const TableFilter* filter;
    const Status loaded = table.filter.Need(&filter);
    if (!loaded.ok()) return EndAll(of, loaded);
    filter->AskKeys(
        of->keys, user_keys_, [&](size_t k) { return Target(table, k); },
        [&](size_t k, const Status& status, GetResult::Filter answer) {
          if (!status.ok()) return End(of, k, status);
          results_[k].filter = answer;
          if (answer == GetResult::Filter::kAbsent) EndWithoutBlocks(of, k);
        });
  }

  void FindInIndex(TableKeys* of);
  // Finds the block of each key. A key that cannot be in its first block goes
  // on to later ones by itself. Requires: the tables of a batch follow each
  // other.
  void CollectBlocks(TableKeys* of, BlockNumbers<kMostKeys>* numbers);
  // Forgets the blocks of tables that are done with, so that those of others
  // can be collected.
  void ForgetBlocks() {
    for (BlockRequest& r : requests()) r.place = BlockPlace();
    keys_of_block_.fill(0);
    num_blocks_ = 0;
  }
  std::span<BlockRequest> requests() {
    return std::span(requests_).first(num_blocks_);
  }
  std::span<BlockRequest> RequestsOf(const TableKeys& of) {
    return std::span(requests_).subspan(of.first_block, of.num_blocks);
  }
  // Takes the blocks that the owner has loaded. Ends keys whose block cannot be
  // read.
  void TakeLoaded(TableKeys* of);
  void LookAtWords(const TableKeys& of) {
    of.keys.ForEach([&](size_t k) {
      words_[k] = internal::LookAtWords(*of.table, blocks_[block_of_[k]],
                                        user_keys_[k]);
    });
  }
  // Requires: no range deletions, and LookAtWords was called.
  void AnswerByWords(TableKeys* of) {
    of->keys.ForEach([&](size_t k) {
      if (internal::AnswerByWords(words_[k], user_keys_[k], read_.snapshot,
                                  IsShared(k), &blocks_[block_of_[k]],
                                  &results_[k])) {
        End(of, k, Status());
      }
    });
  }
  // The same if versions are visited.
  void VisitByWords(TableKeys* of) {
    of->keys.ForEach([&](size_t k) {
      if (words_[k].tells == WordPlace::Tells::kUnknown) return;
      End(of, k, WithLookup(*of->table, k, [&](PointLookup* lookup) {
            PinnedBlock* const block = &blocks_[block_of_[k]];
            return lookup->VisitByWords(words_[k], block)
                       ? Status()
                       : lookup->RunFrom(&cursors_[k], block, IsShared(k));
          }));
    });
  }
  void SearchBlocks(TableKeys* of) {
    of->keys.ForEach([&](size_t k) {
      if (!requests_[block_of_[k]].postponed) Search(of, k);
    });
  }
  // Releases all blocks but those that values keep alive.
  void ReleaseBlocks() {
    for (PinnedBlock& block : std::span(blocks_).first(num_blocks_)) {
      block = PinnedBlock();
    }
  }
  // Searches the blocks that were too large to be held with the others, one at
  // a time. Requires: ReleaseBlocks was called.
  void SearchPostponed(TableKeys* of);

 private:
  template <typename Use>
  Status WithLookup(const OpenedTable& table, size_t k, const Use& use) {
    MergeOperandCallback on_operand;
    if (read_.on_operand) {
      on_operand = static_cast<Owner*>(this)->OperandsOf(k);
    }
    const auto run = [&](const VersionCallback* visit) {
      PointLookup lookup(table, read_.options, user_keys_[k], read_.snapshot,
                         &on_operand, visit, &results_[k]);
      return use(&lookup);
    };
    if constexpr (requires(Owner* owner) { owner->VersionsOf(k); }) {
      if (read_.visit != nullptr) [[unlikely]] {
        const VersionCallback visit = static_cast<Owner*>(this)->VersionsOf(k);
        return run(&visit);
      }
    }
    return run(nullptr);
  }
  TargetKey Target(const OpenedTable& table, size_t k) const {
    return TargetKey(table, user_keys_[k], read_.options.timestamp,
                     read_.snapshot);
  }
  void RestoreBlocks(const TableKeys& of);
  // Returns whether other keys of the batch need the key's block too.
  bool IsShared(size_t k) const { return keys_of_block_[block_of_[k]] > 1; }
  void Search(TableKeys* of, size_t k) {
    End(of, k, WithLookup(*of->table, k, [&](PointLookup* lookup) {
          return lookup->RunFrom(&cursors_[k], &blocks_[block_of_[k]],
                                 IsShared(k));
        }));
  }

  const BatchRead& read_;
  const std::span<const Slice> user_keys_;
  GetResult* const results_;
  std::array<IndexCursor, kMostKeys> cursors_;
  std::array<uint8_t, kMostKeys> block_of_;
  std::array<uint8_t, kMostKeys> keys_of_block_ = {};
  std::array<WordPlace, kMostKeys> words_;
  size_t num_blocks_ = 0;
  std::array<BlockRequest, kMostKeys> requests_;
  std::array<PinnedBlock, kMostKeys> blocks_;
};

template <typename Owner, size_t kMostKeys>
void KeyBatch<Owner, kMostKeys>::FindInIndex(TableKeys* of) {
  if (of->keys.empty()) return;
  const OpenedTable& table = *of->table;
  const IndexReader* index;
  Status status = table.index.Need(&index);
  if (!status.ok()) return EndAll(of, status);
  const bool together =
      !index->is_partitioned() && table.order.timestamp_size() == 0;
  std::array<uint32_t, kMostKeys> places;
  if (together) {
    status = index->Part(0, &of->root);
    if (!status.ok()) return EndAll(of, status);
    const ParsedIndex& root = *of->root;
    std::array<Slice, kMostKeys> keys;
    size_t n = 0;
    of->keys.ForEach([&](size_t k) { keys[n++] = user_keys_[k]; });
    for (size_t i = 0; i < n; i += ParsedIndex::kBatch) {
      const size_t some = std::min(ParsedIndex::kBatch, n - i);
      root.FindBatch(std::span(keys).subspan(i, some),
                     TargetTail(read_.snapshot), &places[i]);
    }
    for (size_t i = 0; i < n; ++i) {
      if (places[i] == root.size()) continue;
      table.data.Fetch({&root, places[i]});
    }
  }
  size_t n = 0;
  of->keys.ForEach([&](size_t k) {
    cursors_[k] = IndexCursor(&table.index);
    const bool on_block =
        together ? cursors_[k].SeekToBlock(of->root.get(), places[n++])
                 : cursors_[k].Seek(Target(table, k).slice());
    if (on_block) return;
    if (!cursors_[k].status().ok()) return End(of, k, cursors_[k].status());
    EndWithoutBlocks(of, k);
  });
}

template <typename Owner, size_t kMostKeys>
void KeyBatch<Owner, kMostKeys>::CollectBlocks(
    TableKeys* of, BlockNumbers<kMostKeys>* numbers) {
  const OpenedTable& table = *of->table;
  of->first_block = num_blocks_;
  of->keys.ForEach([&](size_t k) {
    IndexCursor& at = cursors_[k];
    bool done = false;
    while (!PointLookup::NeedsBlock(table, read_.options, user_keys_[k], at,
                                    &results_[k], &done)) {
      if (!done && at.Next()) continue;
      if (!done && !at.status().ok()) return End(of, k, at.status());
      return EndWithoutBlocks(of, k);
    }
    const uint8_t number = numbers->NumberOf(at.note(), of->first_block);
    block_of_[k] = number;
    ++keys_of_block_[number];
    if (number != num_blocks_) return;
    BlockRequest& request = requests_[num_blocks_++];
    at.FillPlace(&request.place);
    request.note = at.note();
    request.block = &blocks_[number];
  });
  of->num_blocks = num_blocks_ - of->first_block;
}

template <typename Owner, size_t kMostKeys>
void KeyBatch<Owner, kMostKeys>::TakeLoaded(TableKeys* of) {
  RestoreBlocks(*of);
  bool all_loaded = true;
  for (const BlockRequest& r : RequestsOf(*of)) all_loaded &= r.status.ok();
  if (all_loaded) return;
  of->keys.ForEach([&](size_t k) {
    const Status& status = requests_[block_of_[k]].status;
    if (!status.ok()) End(of, k, status);
  });
}

// Restores keys. Blocks with restored keys may be far larger; those beyond the
// limit are postponed too, and read again.
template <typename Owner, size_t kMostKeys>
void KeyBatch<Owner, kMostKeys>::RestoreBlocks(const TableKeys& of) {
  if (of.table->key_form.IsAsStored()) [[likely]]
    return;
  uint64_t held = 0;
  for (const BlockRequest& r : requests()) held += r.block->bytes();
  const uint64_t most = std::max(held, kBlockBatchBytes);
  for (BlockRequest& r : RequestsOf(of)) {
    if (!r.status.ok() || r.postponed) continue;
    r.postponed = held > most;
    held -= r.block->bytes();
    if (r.postponed) {
      *r.block = PinnedBlock();
    } else {
      r.status = of.table->RestoreData(r.place, Slice(), r.block);
      held += r.block->bytes();
    }
  }
}

template <typename Owner, size_t kMostKeys>
void KeyBatch<Owner, kMostKeys>::SearchPostponed(TableKeys* of) {
  const OpenedTable& table = *of->table;
  for (BlockRequest& r : RequestsOf(*of)) {
    if (!r.postponed || !r.status.ok()) continue;
    Status status = table.data.LoadPostponed(r, read_.options);
    if (status.ok()) status = table.RestoreData(r.place, Slice(), r.block);
    of->keys.ForEach([&](size_t k) {
      if (&requests_[block_of_[k]] != &r) return;
      if (status.ok()) return Search(of, k);
      End(of, k, status);
    });
    *r.block = PinnedBlock();
  }
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_KEY_BATCH_H_
