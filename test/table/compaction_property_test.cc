// Random compactions against a naive model: a list of all versions. Whatever is
// compacted, with whatever options, every key reads the same at every snapshot
// as before.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/internal_key_less.h"
#include "ashlar/table/merge_operator.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/memory_outputs.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr auto kDeletion = ValueType::kTypeDeletion;
constexpr auto kValue = ValueType::kTypeValue;
constexpr auto kRange = ValueType::kTypeRangeDeletion;

// A table: entries in order, then range deletions, and its bounds.
struct Table {
  std::vector<Entry> entries;
  std::string smallest;
  std::string largest;
};

int Compare(const Slice& a, const Slice& b) {
  return CompareInternalKeys(BytewiseComparator(), a, b);
}

// Returns whether a range deletion of the table counts for the key: the
// table's bounds clip it.
bool Covers(const Table& table, const Entry& deletion,
            const std::string& user_key) {
  const std::string begin = UserKeyOf(deletion.key).ToString();
  if (user_key < begin || user_key >= deletion.value) return false;
  if (user_key < UserKeyOf(table.smallest).ToStringView()) return false;
  const std::string last = UserKeyOf(table.largest).ToString();
  return user_key < last ||
         (user_key == last && SequenceOf(table.largest) != kMaxSequenceNumber);
}

// Returns what a read of the key at the snapshot gives: operands are joined
// with commas.
std::optional<std::string> Read(const std::vector<Table>& tables,
                                const std::string& key,
                                SequenceNumber snapshot) {
  std::vector<Entry> versions;
  SequenceNumber deleted = 0;
  for (const Table& table : tables) {
    for (const Entry& entry : table.entries) {
      if (SequenceOf(entry.key) > snapshot) continue;
      if (TypeOf(entry.key) != kRange) {
        if (UserKeyOf(entry.key) == key) versions.push_back(entry);
      } else if (Covers(table, entry, key)) {
        deleted = std::max(deleted, SequenceOf(entry.key));
      }
    }
  }
  std::sort(versions.begin(), versions.end(),
            [](const Entry& a, const Entry& b) {
              return SequenceOf(a.key) > SequenceOf(b.key);
            });
  std::string joined;
  bool any = false;
  for (const Entry& version : versions) {
    if (SequenceOf(version.key) < deleted || TypeOf(version.key) == kDeletion) {
      break;
    }
    if (any) joined.insert(0, ",");
    joined.insert(0, version.value);
    any = true;
    if (TypeOf(version.key) == kValue) break;
  }
  return any ? std::optional<std::string>(joined) : std::nullopt;
}

class RandomCompaction {
 public:
  explicit RandomCompaction(uint64_t seed) : random_(seed) {}

  void Run() {
    WriteTables();
    TakeSnapshots();
    const std::vector<Table> before = tables_;
    // The newest tables are compacted; the rest is deeper.
    const size_t inputs = random_.Between(1, tables_.size());
    const std::vector<Table> deeper(tables_.begin() + inputs, tables_.end());
    tables_.resize(inputs);
    std::vector<Table> outputs = Compact(tables_, deeper);
    CheckOutputs(outputs);
    std::vector<Table> after = outputs;
    after.insert(after.end(), deeper.begin(), deeper.end());
    CompareReads(before, after);
    // Once more, all of it: reads what was cut.
    std::vector<std::vector<Table>> runs = {outputs};
    for (const Table& table : deeper) runs.push_back({table});
    CompareReads(before, CompactRuns(runs, {}));
  }

 private:
  static constexpr int kKeys = 12;

  std::string RandomKey() {
    return std::string("key") + static_cast<char>('a' + random_.Below(kKeys));
  }

  static Table Sorted(std::vector<Entry> entries) {
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) {
                       const bool a_range = TypeOf(a.key) == kRange;
                       const bool b_range = TypeOf(b.key) == kRange;
                       if (a_range != b_range) return b_range;
                       return Compare(a.key, b.key) < 0;
                     });
    Table table;
    table.entries = std::move(entries);
    for (const Entry& entry : table.entries) {
      std::string last = entry.key;
      if (TypeOf(entry.key) == kRange) {
        last = MakeInternalKey(entry.value, kMaxSequenceNumber, kRange);
      }
      if (table.smallest.empty() || Compare(entry.key, table.smallest) < 0) {
        table.smallest = entry.key;
      }
      if (table.largest.empty() || Compare(last, table.largest) > 0) {
        table.largest = last;
      }
    }
    return table;
  }

  // Makes tables_, the newest first, as flushes without snapshots would not.
  void WriteTables() {
    const uint64_t count = random_.Between(1, 5);
    for (uint64_t i = 0; i < count; ++i) {
      std::vector<Entry> entries;
      const uint64_t writes = random_.Between(1, 25);
      for (uint64_t j = 0; j < writes; ++j) {
        ++sequence_;
        std::string key = RandomKey();
        std::string value = "v" + std::to_string(sequence_);
        const uint64_t kind = random_.Below(10);
        if (kind < 4) {
          entries.push_back(Value(key, sequence_, value));
        } else if (kind < 6) {
          entries.push_back(Operand(key, sequence_, value));
        } else if (kind < 8) {
          entries.push_back(Deletion(key, sequence_));
        } else {
          std::string end = RandomKey();
          if (end == key) end += "z";
          if (end < key) std::swap(key, end);
          entries.push_back(RangeDeleted(key, sequence_, end));
        }
      }
      tables_.insert(tables_.begin(), Sorted(std::move(entries)));
    }
  }

  void TakeSnapshots() {
    const uint64_t count = random_.Below(5);
    for (uint64_t i = 0; i < count; ++i) {
      snapshots_.push_back(random_.Between(1, sequence_));
    }
  }

  std::vector<Table> Compact(const std::vector<Table>& inputs,
                             const std::vector<Table>& deeper) {
    std::vector<std::vector<Table>> runs;
    runs.reserve(inputs.size());
    for (const Table& table : inputs) runs.push_back({table});
    return CompactRuns(runs, deeper);
  }

  std::vector<Table> CompactRuns(const std::vector<std::vector<Table>>& runs,
                                 const std::vector<Table>& deeper) {
    CompactionOptions options;
    options.iterator.snapshots = snapshots_;
    options.iterator.bottommost = deeper.empty();
    options.iterator.merge_operator = merge_.get();
    std::vector<std::vector<FileRange>> levels;
    levels.reserve(deeper.size());
    for (const Table& table : deeper) {
      levels.push_back({{table.smallest, table.largest, 1}});
    }
    const OlderFiles older(BytewiseComparator(), levels);
    if (random_.OneIn(2)) {
      options.iterator.may_exist_deeper = [&](const Slice& key) {
        return older.MayHave(key);
      };
      options.range_may_exist_deeper = [&](const Slice& a, const Slice& b) {
        return older.MayHaveRange(a, b);
      };
    }
    if (random_.OneIn(2)) options.cutter.target_file_size = 1;
    parts_keys_ = random_.OneIn(2);
    options.cutter.cut_inside_user_keys = parts_keys_;
    if (random_.OneIn(2)) options.max_subcompactions = random_.Between(2, 5);
    options.worker_pool = &pool_;
    options.table.block_size = 1;
    options.build = FixedBuild();
    std::vector<std::unique_ptr<TableReader>> readers;
    std::vector<CompactionRun> inputs;
    for (const std::vector<Table>& run : runs) {
      inputs.emplace_back();
      for (const Table& table : run) {
        readers.push_back(OpenTable(BuildTable(options.table, table.entries)));
        inputs.back().push_back(
            {readers.back().get(), table.smallest, table.largest});
      }
    }
    MemoryOutputs outputs;
    CompactionResult result;
    const Status status = CompactTables(options, inputs, {}, &outputs, &result);
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(outputs.open, 0);
    outputs.Order(result.output_numbers);
    std::vector<Table> made;
    made.reserve(outputs.files.size());
    for (MemoryOutputs::File& file : outputs.files) {
      made.push_back(ReadBack(std::move(file)));
    }
    return made;
  }

  static Table ReadBack(MemoryOutputs::File file) {
    Table table;
    const auto reader = OpenTable(std::move(file.bytes));
    ReadOptions all;
    all.ignore_range_deletions = true;
    Require(ReadForward(*reader, all, &table.entries));
    for (Entry& each : RangeDeletionsOf(*reader)) {
      table.entries.push_back(std::move(each));
    }
    table.smallest = file.smallest;
    table.largest = file.largest;
    return table;
  }

  SequenceNumber StripeOf(SequenceNumber sequence) const {
    SequenceNumber stripe = kMaxSequenceNumber;
    for (const SequenceNumber snapshot : snapshots_) {
      if (snapshot >= sequence) stripe = std::min(stripe, snapshot);
    }
    return stripe;
  }

  // Each key has one entry per stripe, and outputs follow each other.
  void CheckOutputs(const std::vector<Table>& outputs) {
    std::set<std::pair<std::string, SequenceNumber>> seen;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Table& table = outputs[i];
      ASSERT_LE(Compare(table.smallest, table.largest), 0);
      for (const Entry& entry : table.entries) {
        if (TypeOf(entry.key) == kRange) continue;
        EXPECT_LE(Compare(table.smallest, entry.key), 0);
        EXPECT_LE(Compare(entry.key, table.largest), 0);
        EXPECT_TRUE(seen.emplace(UserKeyOf(entry.key).ToString(),
                                 StripeOf(SequenceOf(entry.key)))
                        .second);
      }
      if (i == 0) continue;
      EXPECT_LT(Compare(outputs[i - 1].largest, table.smallest), 0);
      if (parts_keys_) continue;
      EXPECT_TRUE(SequenceOf(outputs[i - 1].largest) == kMaxSequenceNumber ||
                  UserKeyOf(outputs[i - 1].largest) !=
                      UserKeyOf(table.smallest));
    }
  }

  void CompareReads(const std::vector<Table>& before,
                    const std::vector<Table>& after) {
    std::vector<SequenceNumber> moments = snapshots_;
    moments.push_back(kMaxSequenceNumber);
    for (int i = 0; i < kKeys; ++i) {
      const std::string key = std::string("key") + static_cast<char>('a' + i);
      for (const SequenceNumber snapshot : moments) {
        EXPECT_EQ(Read(after, key, snapshot), Read(before, key, snapshot))
            << key << " at " << snapshot;
      }
    }
  }

  // Of no threads: the caller runs the parts.
  WorkerPool pool_{0};
  Random random_;
  std::shared_ptr<const MergeOperator> merge_ = NewStringAppendOperator();
  SequenceNumber sequence_ = 0;
  std::vector<SequenceNumber> snapshots_;
  std::vector<Table> tables_;
  bool parts_keys_ = false;
};

TEST(CompactionProperty, ReadsStayTheSame) {
  ForEachSeed(1, 3000, [](uint64_t seed) { RandomCompaction(seed).Run(); });
}

}  // namespace
}  // namespace ashlar::testing
