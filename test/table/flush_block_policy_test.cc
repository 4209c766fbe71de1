// Tests data blocks that end where a FlushBlockPolicy of the application says.

#include "ashlar/table/flush_block_policy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_builder.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// Ends a block before each key with this last character, and records what it
// was asked.
class BeforeLast final : public FlushBlockPolicy {
 public:
  BeforeLast(char last, std::vector<std::string>* asked)
      : last_(last), asked_(asked) {}
  bool Update(const Slice& internal_key, const Slice& value) override {
    asked_->push_back(internal_key.ToString() + value.ToString());
    return UserKeyOf(internal_key).ToStringView().back() == last_;
  }

 private:
  const char last_;
  std::vector<std::string>* const asked_;
};

class Factory final : public FlushBlockPolicyFactory {
 public:
  explicit Factory(char last) : last_(last) {}
  std::unique_ptr<FlushBlockPolicy> NewFlushBlockPolicy() const override {
    if (last_ == '\0') return nullptr;
    return std::make_unique<BeforeLast>(last_, &asked_);
  }
  const std::vector<std::string>& asked() const { return asked_; }

 private:
  const char last_;
  mutable std::vector<std::string> asked_;
};

TableOptions OptionsOf(std::shared_ptr<Factory> factory) {
  TableOptions options;
  options.block_size = 100;  // not used
  options.flush_block_policy_factory = std::move(factory);
  return options;
}

// Returns the first user key of each data block.
std::vector<std::string> FirstKeys(const std::string& table) {
  InspectOptions options;
  options.first_keys = true;
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("t", table), options, &inspection));
  EXPECT_TRUE(inspection.faults.empty());
  std::vector<std::string> keys;
  for (const BlockInfo& block : inspection.blocks) {
    if (block.kind != BlockKind::kData) continue;
    keys.push_back(block.first_key);
  }
  return keys;
}

TEST(FlushBlockPolicy, DecidesAlone) {
  const auto factory = std::make_shared<Factory>('7');
  const std::vector<Entry> entries = SomeEntries(1000);
  const std::string table = BuildTable(OptionsOf(factory), entries);
  std::vector<std::string> expected = {"key00000"};
  for (int i = 7; i < 1000; i += 10) {
    expected.push_back(UserKeyOf(entries[i].key).ToString());
  }
  EXPECT_EQ(FirstKeys(table), expected);
  ASSERT_EQ(factory->asked().size(), entries.size());
  EXPECT_EQ(factory->asked()[5], entries[5].key + entries[5].value);
  std::vector<Entry> read;
  Require(ReadForward(*OpenTable(table), {}, &read));
  EXPECT_TRUE(read == entries);
}

TEST(FlushBlockPolicy, ThreadsMakeTheSameFile) {
  BuildOptions build = FixedBuild("seed");
  const std::vector<Entry> entries = SomeEntries(5000);
  const TableOptions options = OptionsOf(std::make_shared<Factory>('3'));
  const std::string serial = BuildTable(options, entries, build);
  build.workers = 3;
  EXPECT_TRUE(BuildTable(options, entries, build) == serial);
}

// Neither a range deletion, which is in no data block, nor a refused entry ends
// a data block.
TEST(FlushBlockPolicy, OtherEntriesEndNoBlock) {
  const auto factory = std::make_shared<Factory>('7');
  std::string table;
  const auto file = NewMemoryWritableFile("t", &table);
  auto builder =
      TableBuilder::Create(OptionsOf(factory), FixedBuild("s"), file.get());
  Require(builder.status());
  const auto add = [&](const Entry& entry) {
    return (*builder)->Add(entry.key, entry.value);
  };
  Require(add(Value("b1", 1, "")));
  Require(add(RangeDeleted("a7", 1, "z")));
  EXPECT_TRUE(add(Value("a7", 1, "")).IsInvalidArgument());
  Require(add(Value("b2", 1, "")));
  Require(add(Value("b7", 1, "")));
  Require((*builder)->Finish());
  EXPECT_EQ(FirstKeys(table), (std::vector<std::string>{"b1", "b7"}));
  EXPECT_EQ(factory->asked().size(), 4u);
}

TEST(FlushBlockPolicy, FactoryMustMakeOne) {
  std::string table;
  const auto file = NewMemoryWritableFile("t", &table);
  const auto builder = TableBuilder::Create(
      OptionsOf(std::make_shared<Factory>('\0')), {}, file.get());
  EXPECT_EQ(builder.status().message(),
            "flush_block_policy_factory returned null");
}

}  // namespace
}  // namespace ashlar::testing
