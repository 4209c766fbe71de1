// Random walks of a UserIterator over random inputs, against a list of all
// versions: forward and backward, with seeks and turns, at random snapshots,
// timestamps, bounds and prefixes.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ashlar/table/merge_operator.h"
#include "ashlar/table/user_iterator.h"
#include "test/support/map_source.h"
#include "test/support/random.h"
#include "test/support/tables.h"
#include "test/support/visible_model.h"

namespace ashlar::testing {
namespace {

class RandomWalk {
 public:
  explicit RandomWalk(uint64_t seed) : random_(seed) {
    const Comparator* const choices[] = {
        BytewiseComparator(), BytewiseComparator(), ReverseBytewiseComparator(),
        BytewiseComparatorWithU64Ts()};
    comparator_ = choices[random_.Below(4)];
    has_bounds_ = random_.OneIn(2);
    long_histories_ = random_.OneIn(2);
    prefixes_ = random_.OneIn(2) ? NewFixedPrefixExtractor(1)
                                 : NewCappedPrefixExtractor(1);
  }

  void Run() {
    WriteInputs();
    for (int i = 0; i < 6 && !::testing::Test::HasFailure(); ++i) Walk();
  }

 private:
  bool has_timestamps() const { return comparator_->timestamp_size() != 0; }

  std::string RandomKey() {
    std::string key(1, static_cast<char>('b' + random_.Below(4)));
    key += static_cast<char>('a' + random_.Below(long_histories_ ? 2 : 5));
    if (random_.OneIn(20)) key = key.substr(0, 1);
    if (random_.OneIn(60)) key.clear();
    return key;
  }
  std::string RandomTimestamp() {
    if (!has_timestamps()) return "";
    std::string timestamp(8, '\0');
    timestamp[0] = static_cast<char>(1 + random_.Below(12));
    return timestamp;
  }

  Entry RandomEntry() {
    const std::string key = RandomKey() + RandomTimestamp();
    const std::string value = "v" + std::to_string(sequence_);
    const auto of_type = [&](ValueType type, std::string bytes) {
      return Entry{MakeInternalKey(key, sequence_, type), std::move(bytes)};
    };
    switch (random_.Below(12)) {
      case 0:
      case 1:
        return has_timestamps()
                   ? of_type(ValueType::kTypeDeletionWithTimestamp, "")
                   : of_type(ValueType::kTypeDeletion, "");
      case 2:
        return of_type(ValueType::kTypeSingleDeletion, "");
      case 3:
      case 4:
      case 5:
        return of_type(ValueType::kTypeMerge, value);
      case 6:
        return RandomRange();
      case 7: {
        std::string entity;
        std::vector<WideColumn> columns = {{"column", value}};
        if (random_.OneIn(2)) columns.push_back({"", "default"});
        Require(EncodeWideColumns(columns, &entity));
        return of_type(ValueType::kTypeWideColumnEntity, entity);
      }
      case 8: {
        std::string timed;
        AppendTimedValue({value, sequence_ / 2}, &timed);
        return of_type(ValueType::kTypeValuePreferredSeqno, timed);
      }
      default:
        return of_type(ValueType::kTypeValue, value);
    }
  }

  Entry RandomRange() {
    const std::string timestamp = RandomTimestamp();
    std::string begin = RandomKey();
    std::string end = RandomKey();
    if (begin == end) end += "z";
    if (comparator_->CompareWithoutTimestamp(begin, end) > 0) {
      std::swap(begin, end);
    }
    return RangeDeleted(begin + timestamp, sequence_, end + timestamp);
  }

  // Deals the writes to inputs: which one has a version does not matter.
  void WriteInputs() {
    const size_t count = random_.Between(1, 5);
    tables_ = random_.Below(count + 1);
    inputs_.resize(count);
    const uint64_t writes = random_.Between(1, long_histories_ ? 150 : 60);
    for (uint64_t i = 0; i < writes; ++i) {
      ++sequence_;
      inputs_[random_.Below(count)].entries.push_back(RandomEntry());
    }
    for (VersionedInput& input : inputs_) {
      std::stable_sort(input.entries.begin(), input.entries.end(),
                       [this](const Entry& a, const Entry& b) {
                         const bool a_range = IsRange(a);
                         if (a_range != IsRange(b)) return !a_range;
                         return CompareInternalKeys(comparator_, a.key, b.key) <
                                0;
                       });
    }
    for (size_t i = 0; i < tables_; ++i) BuildInput(&inputs_[i]);
    for (size_t i = tables_; i < count; ++i) {
      maps_.emplace_back(InternalKeyLess{comparator_});
      for (const Entry& entry : inputs_[i].entries) {
        if (!IsRange(entry)) maps_.back()[entry.key] = entry.value;
      }
    }
  }

  static bool IsRange(const Entry& entry) {
    return TypeOf(entry.key) == ValueType::kTypeRangeDeletion;
  }

  void BuildInput(VersionedInput* input) {
    TableOptions options;
    options.comparator = comparator_;
    options.block_size = random_.OneIn(2) ? 1 : 200;
    options.use_delta_encoding = random_.OneIn(2);
    if (random_.OneIn(2)) options.prefix_extractor = prefixes_;
    ReaderOptions reader_options;
    reader_options.comparator = comparator_;
    readers_.push_back(
        OpenTable(BuildTable(options, input->entries), reader_options));
    // Any entries, also none, may be outside of the bounds of the range
    // deletions.
    if (!has_bounds_ || input->entries.empty() || random_.OneIn(3)) return;
    const auto bound = [&] {
      const Entry& at = input->entries[random_.Below(input->entries.size())];
      if (random_.OneIn(3)) {
        return MakeInternalKey(UserKeyOf(at.key), kMaxSequenceNumber,
                               ValueType::kTypeRangeDeletion);
      }
      return at.key;
    };
    input->smallest = bound();
    input->largest = bound();
    if (CompareInternalKeys(comparator_, input->smallest, input->largest) > 0) {
      std::swap(input->smallest, input->largest);
    }
  }

  UserIterator MakeIterator(const ReadOptions& options) {
    UserIteratorOptions of_user;
    of_user.comparator = comparator_;
    of_user.merge_operator = merge_.get();
    of_user.prefix_extractor = prefixes_;
    of_user.max_sequential_skip_in_iterations =
        random_.OneIn(2) ? random_.Below(4) : 8;
    std::vector<UserIteratorTable> tables;
    for (size_t i = 0; i < tables_; ++i) {
      tables.push_back(
          {readers_[i].get(), inputs_[i].smallest, inputs_[i].largest});
    }
    std::vector<UserIteratorMemory> memory;
    for (size_t i = tables_; i < inputs_.size(); ++i) {
      memory.emplace_back();
      memory.back().entries = std::make_unique<MapSource>(
          &maps_[i - tables_], nullptr, options.pin_data);
      for (const Entry& entry : inputs_[i].entries) {
        if (!IsRange(entry)) continue;
        memory.back().range_deletions.push_back(
            {UserKeyOf(entry.key), entry.value, SequenceOf(entry.key)});
      }
    }
    return {of_user, options, tables, std::move(memory)};
  }

  // One iterator, with random options, and random moves.
  void Walk() {
    ReadOptions options;
    if (random_.OneIn(2)) options.snapshot = random_.Below(sequence_ + 1);
    const std::string timestamp = random_.OneIn(3) ? "" : RandomTimestamp();
    options.timestamp = timestamp;
    options.pin_data = random_.OneIn(3);
    options.prefix_same_as_start = random_.OneIn(3);
    options.auto_prefix_mode = random_.OneIn(3);
    options.total_order_seek = random_.OneIn(10);
    ends_with_prefix_ =
        options.prefix_same_as_start && !options.total_order_seek;
    if (random_.OneIn(4)) {
      options.max_skippable_internal_keys = random_.Between(1, 6);
    }
    const std::string lower = RandomKey();
    const std::string upper = RandomKey();
    const Slice lower_bound(lower);
    const Slice upper_bound(upper);
    keys_ =
        VisibleModel(comparator_, inputs_).Keys(options.snapshot, timestamp);
    const auto is_before = [&](const Slice& a, const Slice& b) {
      return comparator_->CompareWithoutTimestamp(a, b) < 0;
    };
    if (random_.OneIn(3)) {
      options.iterate_lower_bound = &lower_bound;
      std::erase_if(keys_, [&](const VisibleKey& each) {
        return is_before(each.key, lower);
      });
    }
    if (random_.OneIn(3)) {
      options.iterate_upper_bound = &upper_bound;
      std::erase_if(keys_, [&](const VisibleKey& each) {
        return !is_before(each.key, upper);
      });
    }
    UserIterator it = MakeIterator(options);
    EXPECT_FALSE(it.Valid());
    pins_ = options.pin_data;
    pinned_.clear();
    moves_ = "prefix " + std::to_string(ends_with_prefix_) + ", bounds " +
             lower + " " + upper + ": ";
    at_ = -1;
    for (int i = 0; i < 40; ++i) {
      Move(&it, options.max_skippable_internal_keys != 0);
      if (::testing::Test::HasFailure()) return;
    }
    for (const auto& [slice, bytes] : pinned_) EXPECT_EQ(slice, Slice(bytes));
  }

  // Returns the position of the first key that is not before this one.
  int64_t FirstFrom(const std::string& key) const {
    return std::partition_point(keys_.begin(), keys_.end(),
                                [&](const VisibleKey& each) {
                                  return comparator_->CompareWithoutTimestamp(
                                             each.key, key) < 0;
                                }) -
           keys_.begin();
  }

  std::optional<std::string> PrefixOf(const std::string& key) const {
    if (!ends_with_prefix_ || !prefixes_->InDomain(key)) return std::nullopt;
    return prefixes_->Transform(key).ToString();
  }

  bool Holds() const {
    return at_ >= 0 && at_ < static_cast<int64_t>(keys_.size());
  }

  void Move(UserIterator* it, bool may_be_incomplete) {
    const std::string target = RandomKey();
    const bool steps = it->Valid() && !random_.OneIn(8);
    bool forward = random_.OneIn(2);
    // Longer walks in one direction.
    if (steps && random_.OneIn(2)) forward = last_forward_;
    last_forward_ = forward;
    const bool to_end = random_.OneIn(3);
    moves_ += (steps    ? (forward ? "Next " : "Prev ")
               : to_end ? (forward ? "First " : "Last ")
                        : (forward ? "Seek " : "SeekForPrev ") + target + " ");
    if (steps) {
      at_ += forward ? 1 : -1;
      forward ? it->Next() : it->Prev();
    } else if (to_end) {
      at_ = forward ? 0 : static_cast<int64_t>(keys_.size()) - 1;
      prefix_ = Holds() ? PrefixOf(keys_[static_cast<size_t>(at_)].key)
                        : std::nullopt;
      forward ? it->SeekToFirst() : it->SeekToLast();
    } else {
      prefix_ = PrefixOf(target);
      at_ = FirstFrom(target);
      if (!forward &&
          (!Holds() || keys_[static_cast<size_t>(at_)].key != target)) {
        --at_;
      }
      forward ? it->Seek(target) : it->SeekForPrev(target);
    }
    if (may_be_incomplete && !it->Valid() && it->status().IsIncomplete()) {
      return;
    }
    ExpectRight(*it);
  }

  void ExpectRight(const UserIterator& it) {
    ASSERT_TRUE(it.status().ok()) << it.status().ToString();
    const VisibleKey* wanted =
        Holds() ? &keys_[static_cast<size_t>(at_)] : nullptr;
    if (wanted != nullptr && prefix_ && PrefixOf(wanted->key) != prefix_) {
      wanted = nullptr;
    }
    ASSERT_EQ(it.Valid(), wanted != nullptr)
        << moves_ << (wanted == nullptr ? it.key().ToString() : wanted->key);
    if (wanted == nullptr) return;
    const std::span<const WideColumn> columns = it.columns();
    const VisibleKey shown = {it.key().ToString(),
                              it.timestamp().ToString(),
                              it.value().ToString(),
                              ColumnsText({columns.begin(), columns.end()}),
                              it.is_blob_index(),
                              it.sequence(),
                              it.type()};
    ASSERT_EQ(shown.key, wanted->key) << moves_;

    ASSERT_EQ(shown.value, wanted->value) << moves_ << shown.key;
    ASSERT_TRUE(shown == *wanted) << shown.key << ": " << shown.columns;
    if (it.IsKeyPinned()) {
      EXPECT_TRUE(pins_);
      pinned_.emplace_back(it.key(), shown.key);
    }
    if (it.IsValuePinned()) {
      EXPECT_TRUE(pins_);
      pinned_.emplace_back(it.value(), shown.value);
    }
  }

  Random random_;
  const Comparator* comparator_;
  std::shared_ptr<const PrefixExtractor> prefixes_;
  std::shared_ptr<const MergeOperator> merge_ = NewStringAppendOperator();
  bool has_bounds_ = false;
  bool long_histories_ = false;
  SequenceNumber sequence_ = 0;
  std::vector<VersionedInput> inputs_;  // tables_ tables, then memtables
  size_t tables_ = 0;
  std::vector<std::unique_ptr<TableReader>> readers_;
  std::vector<EntryMap> maps_;

  // Of one walk: all keys that are seen, and where the walk must be.
  std::vector<VisibleKey> keys_;
  int64_t at_ = -1;
  std::string moves_;  // for messages
  bool ends_with_prefix_ = false;
  std::optional<std::string> prefix_;
  bool last_forward_ = true;
  bool pins_ = false;
  std::vector<std::pair<Slice, std::string>> pinned_;
};

TEST(UserIteratorProperty, ShowsWhatAListOfVersionsShows) {
  ForEachSeed(1, 4000, [](uint64_t seed) { RandomWalk(seed).Run(); });
}

}  // namespace
}  // namespace ashlar::testing
