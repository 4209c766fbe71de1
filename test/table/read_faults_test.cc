// Makes each read of a file fail, or return less than was asked for, one after
// the other.
//
// A scenario that reads a table in every way runs once to count its reads. It
// then runs once for each read and each kind of fault. The call that met the
// fault must report it, and all other results must be right.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using Kind = FaultPlan::Kind;

std::vector<Entry> Entries() { return SomeEntries(120); }

std::string Table(CompressionType codec) {
  TableOptions options;
  options.block_size = 300;
  options.compression = codec;
  return BuildTable(options, Entries());
}

class Scenario {
 public:
  explicit Scenario(FaultPlan* plan) : plan_(plan) {}

  void Run(const std::string& table) {
    auto opened = TableReader::Open(NewFaultyFile("f.sst", table, plan_));
    if (Check(opened.status(), "open")) return;
    const TableReader& reader = **opened;
    Scan(reader, false);
    Scan(reader, true);
    for (const char* key : {"key00003", "key00060", "key00119", "nothing"}) {
      GetResult result;
      if (Check(reader.Get(key, &result), "get")) {
        EXPECT_EQ(result.state, GetResult::State::kNotFound);
        EXPECT_TRUE(result.value.empty());
        continue;
      }
      const bool there = std::string(key) != "nothing";
      EXPECT_EQ(result.state == GetResult::State::kFound, there) << key;
    }
    Iterator it = reader.NewIterator();
    it.Seek("key00050");
    if (!Check(it.status(), "seek")) {
      ASSERT_TRUE(it.Valid());
      EXPECT_EQ(it.user_key().ToStringView(), "key00050");
    }
    // After an error, a seek starts over, to the same block or another one.
    it.Seek("key00050");
    if (!Check(it.status(), "same seek")) {
      ASSERT_TRUE(it.Valid());
      EXPECT_EQ(it.user_key().ToStringView(), "key00050");
    }
    it.Seek("key00070");
    if (!Check(it.status(), "second seek")) {
      ASSERT_TRUE(it.Valid());
      EXPECT_EQ(it.user_key().ToStringView(), "key00070");
    }
    Check(reader.VerifyChecksum(), "verify");
    TableInspection found;
    const Status inspected = InspectTable(reader.file(), {}, &found);
    if (plan_->faults == seen_) {
      EXPECT_TRUE(inspected.ok() && found.faults.empty());
    }
  }

 private:
  // Expects an error exactly if a fault was met. Returns whether there was one.
  bool Check(const Status& status, const char* what) {
    const bool met = plan_->faults > seen_;
    seen_ = plan_->faults;
    EXPECT_EQ(status.ok(), !met) << what << ": " << status.ToString();
    if (met && plan_->kind == Kind::kError) {
      EXPECT_TRUE(status.IsIOError()) << what << ": " << status.ToString();
      EXPECT_EQ(status.message(), "read f.sst: injected");
    } else if (met) {
      EXPECT_TRUE(status.IsCorruption()) << what << ": " << status.ToString();
      EXPECT_TRUE(status.message().starts_with("f.sst: ")) << status.ToString();
    }
    return met;
  }

  void Scan(const TableReader& reader, bool backward) {
    std::vector<Entry> expected = Entries();
    if (backward) std::reverse(expected.begin(), expected.end());
    std::vector<Entry> found;
    const Status status = backward ? ReadBackward(reader, {}, &found)
                                   : ReadForward(reader, {}, &found);
    const bool failed = Check(status, backward ? "backward" : "forward");
    ASSERT_LE(found.size(), expected.size());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin()));
    EXPECT_EQ(found.size() == expected.size(), !failed);
  }

  FaultPlan* plan_;
  uint64_t seen_ = 0;
};

void FailEveryRead(Kind kind, bool persistent) {
  for (const CompressionType codec :
       {CompressionType::kNoCompression, CompressionType::kZSTD}) {
    const std::string table = Table(codec);
    FaultPlan plan;
    Scenario(&plan).Run(table);
    const uint64_t operations = plan.operations;
    ASSERT_GT(operations, 8u);
    for (uint64_t n = 1; n <= operations; ++n) {
      SCOPED_TRACE("read " + std::to_string(n) + " of " +
                   std::to_string(operations));
      plan = {.fail_at = n, .persistent = persistent, .kind = kind};
      Scenario(&plan).Run(table);
      ASSERT_GT(plan.faults, 0u);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(ReadFaults, EveryReadFailsOnce) { FailEveryRead(Kind::kError, false); }
TEST(ReadFaults, EveryReadFailsFromThereOn) {
  FailEveryRead(Kind::kError, true);
}

// The file ends too early. A short read is no error of the file, but a block
// that was cut off is damage of the table.
TEST(ReadFaults, EveryReadGivesNothing) { FailEveryRead(Kind::kNothing, true); }
TEST(ReadFaults, EveryReadGivesOneByte) { FailEveryRead(Kind::kOneByte, true); }

// The missing last byte is not always needed.
TEST(ReadFaults, EveryReadIsOneShort) {
  const std::string table = Table(CompressionType::kZSTD);
  for (uint64_t n = 1; n < 40; ++n) {
    FaultPlan plan{.fail_at = n, .kind = Kind::kOneShort};
    auto opened = TableReader::Open(NewFaultyFile("f.sst", table, &plan));
    if (!opened.ok()) {
      EXPECT_TRUE(opened.status().IsCorruption());
      continue;
    }
    std::vector<Entry> found;
    const Status status = ReadForward(**opened, {}, &found);
    if (status.ok()) {
      EXPECT_TRUE(found == Entries());
    } else {
      EXPECT_TRUE(status.IsCorruption()) << status.ToString();
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
