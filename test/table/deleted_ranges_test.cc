// Writes tables with range deletions, reads them back, and compares Get and
// iterators at any snapshot with a model. For every key the model asks every
// range deletion.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/inspect.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/reference_reader.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using State = GetResult::State;

// A table of random entries with random range deletions among them.
struct DeletedTable {
  explicit DeletedTable(Random* random) : table(MakeRandomTable(random)) {
    MakeDeletions(random);
    std::vector<Entry> all = table.model.entries();
    // Range deletions are added anywhere among the entries, in the order in
    // which they were made.
    size_t at = 0;
    for (const Entry& deletion : deletions) {
      at += random->Below(all.size() - at + 1);
      all.insert(all.begin() + static_cast<ptrdiff_t>(at++), deletion);
    }
    bytes = BuildTable(table.options, all);
  }

  const Comparator* comparator() const { return table.options.comparator; }

  SequenceNumber DeletedBelow(const Slice& key, SequenceNumber snapshot) const {
    SequenceNumber newest = 0;
    for (const Entry& deletion : deletions) {
      const SequenceNumber sequence = SequenceOf(deletion.key);
      if (sequence > snapshot || sequence < newest) continue;
      if (comparator()->Compare(UserKeyOf(deletion.key), key) <= 0 &&
          comparator()->Compare(key, deletion.value) < 0) {
        newest = sequence;
      }
    }
    return newest;
  }

  std::vector<Entry> Visible(const ReadOptions& options) const {
    std::vector<Entry> visible;
    for (const Entry& entry : table.model.entries()) {
      const SequenceNumber sequence = SequenceOf(entry.key);
      if (sequence > options.snapshot) continue;
      if (!options.ignore_range_deletions &&
          sequence < DeletedBelow(UserKeyOf(entry.key), options.snapshot)) {
        continue;
      }
      visible.push_back(entry);
    }
    return visible;
  }

  RandomTable table;
  std::vector<Entry> deletions;
  std::string bytes;

 private:
  void MakeDeletions(Random* random) {
    const size_t count = random->Below(random->OneIn(3) ? 80 : 6);
    while (deletions.size() < count) {
      std::string begin = RandomTarget(table.model, random);
      std::string end = RandomTarget(table.model, random);
      const int order = comparator()->Compare(begin, end);
      if (order == 0) end.push_back('x');
      if (order > 0) std::swap(begin, end);
      if (comparator()->Compare(begin, end) >= 0) std::swap(begin, end);
      deletions.push_back(RangeDeleted(begin, random->Below(520), end));
    }
  }
};

ReadOptions RandomReadOptions(Random* random) {
  ReadOptions options;
  options.ignore_range_deletions = random->OneIn(4);
  if (!random->OneIn(3)) options.snapshot = random->Below(520);
  return options;
}

void CheckWalks(const DeletedTable& made, const TableReader& reader,
                Random* random) {
  for (int i = 0; i < 4; ++i) {
    const ReadOptions options = RandomReadOptions(random);
    const std::vector<Entry> expected = made.Visible(options);
    std::vector<Entry> forward;
    Require(ReadForward(reader, options, &forward));
    EXPECT_TRUE(forward == expected);
    std::vector<Entry> backward;
    Require(ReadBackward(reader, options, &backward));
    std::reverse(backward.begin(), backward.end());
    EXPECT_TRUE(backward == expected);
  }
}

// Expects that the iterator is at this position of `visible`.
void ExpectAt(const Iterator& it, const std::vector<Entry>& visible,
              ptrdiff_t position) {
  ASSERT_TRUE(it.status().ok()) << it.status().ToString();
  const bool inside =
      position >= 0 && position < static_cast<ptrdiff_t>(visible.size());
  ASSERT_EQ(it.Valid(), inside);
  if (!inside) return;
  const Entry& entry = visible[static_cast<size_t>(position)];
  EXPECT_EQ(Hex(it.key().ToStringView()), Hex(entry.key));
  EXPECT_EQ(it.value().ToString(), entry.value);
}

// Seeks in both directions, and makes some steps from there.
void CheckSeeks(const DeletedTable& made, const TableReader& reader,
                Random* random) {
  const ReadOptions options = RandomReadOptions(random);
  const Model visible(made.comparator(), made.Visible(options));
  const std::vector<Entry>& entries = visible.entries();
  Iterator it = reader.NewIterator(options);
  for (int i = 0; i < 30; ++i) {
    const std::string target = RandomTarget(made.table.model, random);
    const SequenceNumber sequence =
        random->OneIn(2) ? kMaxSequenceNumber : random->Below(520);
    ptrdiff_t at;
    if (random->OneIn(2)) {
      it.Seek(target, sequence);
      at = static_cast<ptrdiff_t>(visible.Seek(target, sequence));
    } else {
      it.SeekForPrev(target, sequence);
      at = visible.SeekForPrev(target, sequence);
    }
    ExpectAt(it, entries, at);
    for (int step = 0; step < 6 && it.Valid(); ++step) {
      const bool next = random->OneIn(2);
      next ? it.Next() : it.Prev();
      at += next ? 1 : -1;
      ExpectAt(it, entries, at);
    }
  }
}

struct Answer {
  State state = State::kNotFound;
  SequenceNumber sequence = 0;
  std::string value;
  std::vector<std::string> operands;
};

Answer Resolve(const DeletedTable& made, const std::string& key,
               SequenceNumber snapshot) {
  const SequenceNumber below = made.DeletedBelow(key, snapshot);
  Answer answer;
  for (const Entry& entry : made.table.model.entries()) {
    const SequenceNumber sequence = SequenceOf(entry.key);
    if (UserKeyOf(entry.key) != key || sequence > snapshot) continue;
    if (sequence < below) break;
    answer.sequence = sequence;
    if (TypeOf(entry.key) == ValueType::kTypeMerge) {
      answer.state = State::kMerged;
      answer.operands.push_back(entry.value);
      continue;
    }
    const bool found = TypeOf(entry.key) == ValueType::kTypeValue;
    answer.state = found ? State::kFound : State::kDeleted;
    answer.value = entry.value;
    return answer;
  }
  if (below != 0) {
    answer.state = State::kDeleted;
    answer.sequence = below;
  }
  return answer;
}

void CheckGets(const DeletedTable& made, const TableReader& reader,
               Random* random) {
  for (int i = 0; i < 60; ++i) {
    const std::string key = RandomTarget(made.table.model, random);
    const SequenceNumber snapshot =
        random->OneIn(3) ? kMaxSequenceNumber : random->Below(520);
    const Answer expected = Resolve(made, key, snapshot);
    GetResult result;
    std::vector<std::string> operands;
    Require(reader.Get({}, key, snapshot, &result,
                       [&](const Slice& operand, SequenceNumber) {
                         operands.push_back(operand.ToString());
                         return true;
                       }));
    ASSERT_EQ(result.state, expected.state) << Hex(key) << " at " << snapshot;
    EXPECT_EQ(result.value.ToString(), expected.value);
    EXPECT_EQ(operands, expected.operands);
    if (expected.state != State::kNotFound) {
      EXPECT_EQ(result.sequence, expected.sequence);
    }
    EXPECT_EQ(reader.NewestRangeDeletionOver(key, snapshot),
              made.DeletedBelow(key, snapshot));
  }
}

void CheckLists(const DeletedTable& made, const TableReader& reader) {
  EXPECT_TRUE(RangeDeletionsOf(reader) == made.deletions);
  std::string last_end;
  bool any = false;
  reader.VisitRangeDeletionFragments([&](const RangeDeletionFragment& f) {
    const Comparator& order = *made.comparator();
    EXPECT_LT(order.Compare(f.begin, f.end), 0);
    const bool in_order = !any || order.Compare(last_end, f.begin) <= 0;
    EXPECT_TRUE(in_order);
    any = true;
    last_end = f.end.ToString();
    EXPECT_FALSE(f.sequences.empty());
    EXPECT_EQ(f.sequences[0], made.DeletedBelow(f.begin, kMaxSequenceNumber));
    return true;
  });
  EXPECT_EQ(any, !made.deletions.empty());
}

void CheckProperties(const DeletedTable& made, const TableReader& reader) {
  const TableProperties& p = reader.properties();
  EXPECT_EQ(p.num_range_deletions, made.deletions.size());
  EXPECT_EQ(p.num_entries,
            made.deletions.size() + made.table.model.entries().size());
  uint64_t deletions = made.deletions.size();
  uint64_t key_bytes = 0;
  uint64_t value_bytes = 0;
  std::set<SequenceNumber> sequences;
  for (const auto* list : {&made.table.model.entries(), &made.deletions}) {
    for (const Entry& entry : *list) {
      const ValueType type = TypeOf(entry.key);
      deletions += type == ValueType::kTypeDeletion ||
                   type == ValueType::kTypeSingleDeletion;
      key_bytes += entry.key.size();
      value_bytes += entry.value.size();
      sequences.insert(SequenceOf(entry.key));
    }
  }
  EXPECT_EQ(p.num_deletions, deletions);
  EXPECT_EQ(p.raw_key_size, key_bytes);
  // References count, not what they refer to.
  if (!made.table.options.embedded_blob_options.enable) {
    EXPECT_EQ(p.raw_value_size, value_bytes);
  }
  if (sequences.empty()) return;
  EXPECT_EQ(p.key_smallest_seqno, *sequences.begin());
  EXPECT_EQ(p.key_largest_seqno, *sequences.rbegin());
}

TEST(DeletedRanges, TablesAnswerAsTheModel) {
  ForEachSeed(1, 150, [](uint64_t seed) {
    Random random(seed);
    const DeletedTable made(&random);
    SCOPED_TRACE(made.table.description);
    const auto reader =
        OpenTable(made.bytes, {.comparator = made.comparator()});
    CheckLists(made, *reader);
    CheckProperties(made, *reader);
    CheckWalks(made, *reader, &random);
    CheckSeeks(made, *reader, &random);
    CheckGets(made, *reader, &random);
    Require(reader->VerifyChecksum());
  });
}

TEST(DeletedRanges, LooksInsideFindNoFault) {
  ForEachSeed(1, 20, [](uint64_t seed) {
    Random random(seed);
    const DeletedTable made(&random);
    TableInspection inspection;
    Require(InspectTable(*NewMemoryFile("t.sst", made.bytes), {}, &inspection));
    for (const TableFault& fault : inspection.faults) {
      ADD_FAILURE() << fault.status.ToString();
    }
    uint64_t listed = 0;
    for (const BlockInfo& block : inspection.blocks) {
      if (block.kind == BlockKind::kRangeDeletion) listed += block.num_entries;
    }
    EXPECT_EQ(listed, made.deletions.size());
  });
}

TEST(DeletedRanges, TheReferenceReaderAgrees) {
  const std::vector<Entry> deletions = {RangeDeleted("m", 5, "p"),
                                        RangeDeleted("a", 9, "z"),
                                        RangeDeleted("b", 0, "c")};
  std::vector<Entry> all = {deletions[0], Value("b", 3, "x"), deletions[1],
                            deletions[2]};
  const ReferenceTable table = ReadReferenceTable(BuildTable({}, all));
  EXPECT_EQ(CanonicalDump(table),
            CanonicalDump({all[1]}) + CanonicalDump(deletions));
  EXPECT_TRUE(table.meta_blocks.contains("rocksdb.range_del"));
}

// The table then has no data block, no filter, and an empty index.
TEST(DeletedRanges, NothingElse) {
  const std::string bytes = BuildTable({}, {RangeDeleted("b", 7, "d")});
  const auto reader = OpenTable(bytes);
  EXPECT_EQ(reader->properties().num_data_blocks, 0u);
  EXPECT_EQ(reader->properties().num_entries, 1u);
  Iterator it = reader->NewIterator();
  it.SeekToFirst();
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().ok());
  GetResult result;
  Require(reader->Get("c", &result));
  EXPECT_EQ(result.state, State::kDeleted);
  EXPECT_EQ(result.type, ValueType::kTypeRangeDeletion);
  EXPECT_EQ(result.sequence, 7u);
  Require(reader->Get("d", &result));
  EXPECT_EQ(result.state, State::kNotFound);
  Require(reader->Get({}, "c", 6, &result));
  EXPECT_EQ(result.state, State::kNotFound);
  Require(reader->Get({.ignore_range_deletions = true}, "c", 7, &result));
  EXPECT_EQ(result.state, State::kNotFound);
  EXPECT_EQ(CanonicalDump(ReadReferenceTable(bytes)),
            CanonicalDump({RangeDeleted("b", 7, "d")}));
}

TEST(DeletedRanges, ExternalFiles) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("t.sst", &bytes);
  auto writer = ExternalFileWriter::Create(file.get(), {}, FixedBuild());
  Require(writer.status());
  Require((*writer)->DeleteRange("c", "x"));
  Require((*writer)->Put("d", "1"));
  Require((*writer)->DeleteRange("a", "e"));
  Require((*writer)->Put("f", "2"));
  EXPECT_TRUE((*writer)->DeleteRange("b", "b").IsInvalidArgument());
  EXPECT_TRUE((*writer)->DeleteRange("c", "b").IsInvalidArgument());
  Require((*writer)->Finish());
  EXPECT_EQ((*writer)->NumEntries(), 4u);
  const auto reader = OpenTable(bytes);
  EXPECT_TRUE(RangeDeletionsOf(*reader) ==
              (std::vector<Entry>{RangeDeleted("c", 0, "x"),
                                  RangeDeleted("a", 0, "e")}));
  // Range deletions never hide the file's own keys.
  std::vector<Entry> entries;
  Require(ReadForward(*reader, {}, &entries));
  EXPECT_EQ(entries.size(), 2u);
}

TEST(DeletedRanges, OnesThatAreNone) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("t.sst", &bytes);
  auto builder = TableBuilder::Create({}, FixedBuild(), file.get());
  Require(builder.status());
  const auto error = [&](const Entry& entry) {
    const Status status = (*builder)->Add(entry.key, entry.value);
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    return std::string(status.message());
  };
  EXPECT_EQ(error(RangeDeleted("b", 7, "b")),
            "entry 1: key 'b' seq:7, type:15 is not smaller than its end, key "
            "'b' seq:7, type:15");
  EXPECT_EQ(error(RangeDeleted("c", 7, "b")),
            "entry 1: key 'c' seq:7, type:15 is not smaller than its end, key "
            "'b' seq:7, type:15");
  const std::string large(TableBuilder::kMaxUserKeyBytes + 1, 'x');
  EXPECT_EQ(error(RangeDeleted("b", 7, large)),
            "entry 1: key 'b' seq:7, type:15 has an end of more than 67108864 "
            "bytes");
  EXPECT_EQ(error(RangeDeleted(large, 7, "y")).substr(0, 14), "entry 1: key '");
  EXPECT_EQ((*builder)->NumEntries(), 0u);
  Require((*builder)->Add(RangeDeleted("b", 7, "c").key, "c"));
  Require((*builder)->Finish());
}

}  // namespace
}  // namespace ashlar::testing
