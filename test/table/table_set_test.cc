// Sets of tables: what they list, and that they appear whole or not at all,
// also if a file call fails or the process is killed at any of them.
#include "ashlar/table/table_set.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "ashlar/util/file_checksum.h"
#include "test/support/faulty_calls.h"
#include "test/support/folder.h"
#include "test/support/memory_folder.h"
#include "test/support/random.h"
#include "test/support/tables.h"
#include "test/support/thorough.h"

namespace ashlar::testing {
namespace {

const auto* const kInMemory =
    ::testing::AddGlobalTestEnvironment(new FoldersInMemory);

using Contents = std::vector<std::string>;

const Contents kOld = {"old 1", "old 2"};
const Contents kNew = {"new 1", "new 2", "new 3"};

bool any_warning = false;

TableSetOptions OptionsFor(const TestFolder& folder, bool overwrite) {
  TableSetOptions options;
  options.warn = [](std::string_view /*text*/) { any_warning = true; };
  options.path = folder / "t.sst";
  options.overwrite = overwrite;
  return options;
}

// Makes a set whose tables have these bytes.
Status Make(const TableSetOptions& options, const Contents& contents) {
  auto set = TableSet::Create(options);
  if (!set.ok()) return set.status();
  for (size_t i = 0; i < contents.size(); ++i) {
    auto file = (*set)->BeginTable(i);
    if (!file.ok()) return file.status();
    Status status = (*file)->Append(contents[i]);
    TableSetTable table;
    table.smallest = contents[i] + "a";
    table.largest = contents[i] + "b";
    table.entries = i + 1;
    if (status.ok()) status = (*set)->EndTable(i, table);
    if (!status.ok()) return status;
  }
  return (*set)->Commit();
}

// Returns the bytes of the tables that the manifest lists; none if there is no
// manifest. Each must be what the manifest says.
Contents Read(const TestFolder& folder) {
  const auto tables = ReadTableSet(folder / "t.sst");
  if (tables.status().IsNotFound()) return {};
  Require(tables.status());
  Contents contents;
  for (const TableSetTable& table : *tables) {
    contents.push_back(ReadFile(table.path));
    EXPECT_EQ(table.file_bytes, contents.back().size());
    EXPECT_EQ(table.file_checksum, ExtendFileChecksum(0, contents.back()));
    EXPECT_EQ(table.smallest, contents.back() + "a");
    EXPECT_EQ(table.largest, contents.back() + "b");
    EXPECT_EQ(table.entries, contents.size());
  }
  return contents;
}

// Checks that the folder has the files of the set, and nothing else but perhaps
// `excused`.
void ExpectNothingElse(const TestFolder& folder,
                       const std::string& excused = {}) {
  std::vector<std::string> expected;
  const auto tables = ReadTableSet(folder / "t.sst");
  if (tables.ok()) {
    expected.emplace_back("t-manifest.json");
    for (const TableSetTable& table : *tables) {
      expected.push_back(table.path.substr(table.path.rfind('/') + 1));
    }
  }
  std::sort(expected.begin(), expected.end());
  std::vector<std::string> names = folder.Names();
  std::erase(names, excused);
  EXPECT_EQ(names, expected);
}

enum class Outcome : int { kOk, kError, kNewInPlace, kKilled };
constexpr int kWarned = 8;

// Does the work in a process of its own, with this plan of faults, so that
// what it could not close does not outlive it. kNewInPlace: an error that says
// that the new set is in place.
// *warned is whether the work warned of anything.
template <typename Work>
Outcome RunWithFaults(const TestFolder& folder, const std::string& plan,
                      const Work& work, bool* warned = nullptr) {
  const pid_t child = fork();
  EXPECT_GE(child, 0);
  if (child == 0) {
    any_warning = false;
    BeginFaults(folder.path(), plan);
    const Status status = work();
    Outcome outcome = status.ok() ? Outcome::kOk : Outcome::kError;
    if (status.message().starts_with("the new set is in place")) {
      outcome = Outcome::kNewInPlace;
    }
    _exit(static_cast<int>(outcome) | (any_warning ? kWarned : 0));
  }
  int result = 0;
  EXPECT_EQ(waitpid(child, &result, 0), child);
  if (WIFEXITED(result)) {
    if (warned != nullptr) *warned = (WEXITSTATUS(result) & kWarned) != 0;
    return static_cast<Outcome>(WEXITSTATUS(result) & ~kWarned);
  }
  EXPECT_EQ(WTERMSIG(result), SIGKILL);
  return Outcome::kKilled;
}

class TableSetFaults : public ::testing::TestWithParam<bool> {
 protected:
  void Prepare(const TestFolder& folder) const {
    if (replaces()) Require(Make(OptionsFor(folder, false), kOld));
  }
  bool replaces() const { return GetParam(); }
  Contents Before() const { return replaces() ? kOld : Contents(); }
  size_t CountCalls() const {
    const TestFolder folder;
    Prepare(folder);
    BeginFaults(folder.path(), "");
    const Status status = Make(OptionsFor(folder, replaces()), kNew);
    const std::vector<CountedCall> calls = EndFaults();
    Require(status);
    return calls.size();
  }
  // The next runs complete or undo what was left, and make a set again.
  static void CheckNextRun(const TestFolder& folder, const Contents& now) {
    TableSetOptions options = OptionsFor(folder, true);
    options.remove_leftovers = true;
    EXPECT_TRUE(RecoverTableSet(options, nullptr).ok());
    EXPECT_EQ(Read(folder), now);
    ExpectNothingElse(folder);
    EXPECT_TRUE(Make(options, kNew).ok());
    EXPECT_EQ(Read(folder), kNew);
    ExpectNothingElse(folder);
  }
};

INSTANTIATE_TEST_SUITE_P(NewAndReplaced, TableSetFaults, ::testing::Bool());

TEST_P(TableSetFaults, EveryCallMayFail) {
  const size_t count = CountCalls();
  ASSERT_GT(count, 30U);
  size_t kept = 0;
  size_t made = 0;
  for (size_t n = 1; n <= count; ++n) {
    for (const char* const kind : {":EIO", "+:EIO", ":ENOSPC", ":done-EIO"}) {
      const std::string plan = std::to_string(n) + kind;
      SCOPED_TRACE(plan);
      const TestFolder folder;
      Prepare(folder);
      bool warned = false;
      const Outcome outcome = RunWithFaults(
          folder, plan,
          [&] { return Make(OptionsFor(folder, replaces()), kNew); }, &warned);
      // What stays is named, but for two things: the empty lock of the commit,
      // if it could not be taken, and a folder whose making reported an error.
      if (!warned && outcome != Outcome::kNewInPlace &&
          !plan.ends_with(":done-EIO")) {
        ExpectNothingElse(folder, "t.tmp.lock");
      }
      const Contents now = Read(folder);
      const bool is_new = now == kNew;
      EXPECT_TRUE(is_new || now == Before());
      EXPECT_NE(outcome, Outcome::kKilled);
      if (outcome != Outcome::kError) {
        EXPECT_TRUE(is_new);
      } else if (!plan.ends_with(":done-EIO")) {
        // A call that is made and reports an error may be the commit.
        EXPECT_FALSE(is_new);
      }
      ++(is_new ? made : kept);
      CheckNextRun(folder, now);
    }
  }
  EXPECT_GT(kept, count);
  EXPECT_GT(made, 5U);
}

TEST_P(TableSetFaults, KilledAtEveryCall) {
  const size_t count = CountCalls();
  size_t kept = 0;
  size_t made = 0;
  for (size_t n = 1; n <= count; ++n) {
    for (const char* const kind : {":kill", ":killed"}) {
      const std::string plan = std::to_string(n) + kind;
      SCOPED_TRACE(plan);
      const TestFolder folder;
      Prepare(folder);
      EXPECT_EQ(RunWithFaults(
                    folder, plan,
                    [&] { return Make(OptionsFor(folder, replaces()), kNew); }),
                Outcome::kKilled);
      const Contents now = Read(folder);
      EXPECT_TRUE(now == kNew || now == Before());
      ++(now == kNew ? made : kept);
      CheckNextRun(folder, now);
    }
  }
  EXPECT_GT(kept, count);
  EXPECT_GT(made, 5U);
}

// Some kills of the first run, and each third one of the run that recovers from
// it: another third for each first kill. `make thorough` runs all.
TEST_P(TableSetFaults, RecoveryKilledAtEveryCall) {
  const size_t count = CountCalls();
  const size_t step = IsThorough() ? 1 : 3;
  size_t most = 0;
  for (size_t first = 7; first <= count; first += 9) {
    bool is_through = false;
    for (size_t n = 1 + first / 9 % step; !is_through; n += step) {
      SCOPED_TRACE(std::to_string(first) + " then " + std::to_string(n));
      const TestFolder folder;
      Prepare(folder);
      EXPECT_EQ(RunWithFaults(
                    folder, std::to_string(first) + ":kill",
                    [&] { return Make(OptionsFor(folder, replaces()), kNew); }),
                Outcome::kKilled);
      const Contents now = Read(folder);
      TableSetOptions options = OptionsFor(folder, true);
      options.remove_leftovers = true;
      const Outcome recovered =
          RunWithFaults(folder, std::to_string(n) + ":kill",
                        [&] { return RecoverTableSet(options, nullptr); });
      is_through = recovered != Outcome::kKilled;
      if (is_through) {
        EXPECT_EQ(recovered, Outcome::kOk);
      }
      EXPECT_EQ(Read(folder), now);
      CheckNextRun(folder, now);
      most = std::max(most, n);
    }
  }
  EXPECT_GT(most, 20U);
}

TEST(TableSet, WithoutCommitNothingStays) {
  const TestFolder folder;
  {
    auto set = TableSet::Create(OptionsFor(folder, false));
    Require(set.status());
    Require((*set)->BeginTable(0).status());
    Require((*set)->EndTable(0, {}));
    Require((*set)->BeginTable(1).status());
    EXPECT_EQ(folder.Names().size(), 1U);  // the folder aside
  }
  EXPECT_TRUE(folder.Names().empty());
}

TEST(TableSet, NumbersAreForOneTableEach) {
  const TestFolder folder;
  auto set = TableSet::Create(OptionsFor(folder, false));
  Require(set.status());
  EXPECT_TRUE((*set)->EndTable(3, {}).IsInvalidArgument());
  for (const size_t number : {3, 1, 2}) {
    auto file = (*set)->BeginTable(number);
    Require(file.status());
    Require((*file)->Append("table " + std::to_string(number)));
  }
  EXPECT_TRUE((*set)->BeginTable(3).status().IsInvalidArgument());
  (*set)->Drop(2);
  (*set)->Drop(2);
  Require((*set)->EndTable(3, {}));
  EXPECT_TRUE((*set)->EndTable(3, {}).IsInvalidArgument());
  (*set)->Drop(3);  // has ended: stays
  const Status early = (*set)->Commit();
  EXPECT_TRUE(early.IsInvalidArgument());
  EXPECT_NE(early.message().find("table 1 "), std::string_view::npos);
  Require((*set)->EndTable(1, {}));
  Require((*set)->Commit());
  EXPECT_TRUE((*set)->Commit().IsInvalidArgument());
  EXPECT_TRUE((*set)->BeginTable(9).status().IsInvalidArgument());
  ASSERT_EQ((*set)->tables().size(), 2U);
  EXPECT_EQ((*set)->tables()[0].path, folder / "t-000001.sst");
  EXPECT_EQ(ReadFile(folder / "t-000001.sst"), "table 1");
  EXPECT_EQ(ReadFile(folder / "t-000002.sst"), "table 3");
  EXPECT_EQ((*set)->manifest(), folder / "t-manifest.json");
}

TEST(TableSet, NamesThatAreTaken) {
  for (const char* const name : {"t-manifest.json", "t-000007.sst"}) {
    const TestFolder folder;
    WriteFile(folder / name, "mine");
    const Status refused = Make(OptionsFor(folder, false), kNew);
    EXPECT_TRUE(refused.IsInvalidArgument());
    EXPECT_NE(refused.message().find(name), std::string_view::npos);
    EXPECT_EQ(folder.Names(), std::vector<std::string>{name});
    const auto files = FindTableSetFiles(folder / "t.sst");
    Require(files.status());
    EXPECT_EQ(*files, std::vector<std::string>{folder / name});
    // Without a look before, Commit finds it.
    TableSetOptions late = OptionsFor(folder, false);
    late.recover = false;
    EXPECT_TRUE(Make(late, kNew).IsInvalidArgument());
    EXPECT_EQ(folder.Names(), std::vector<std::string>{name});
    EXPECT_EQ(ReadFile(folder / name), "mine");
  }
  const TestFolder folder;
  TableSetOptions nowhere = OptionsFor(folder, false);
  nowhere.path = folder / "none/t.sst";
  EXPECT_TRUE(Make(nowhere, kNew).IsIOError());
  EXPECT_TRUE(ReadTableSet(nowhere.path).status().IsIOError());
  EXPECT_TRUE(FindTableSetFiles(nowhere.path)->empty());
}

TEST(TableSet, LeftoversAreNamed) {
  const TestFolder folder;
  ASSERT_EQ(
      RunWithFaults(folder, "write@2:kill",
                    [&] { return Make(OptionsFor(folder, false), kNew); }),
      Outcome::kKilled);
  TableSetOptions options = OptionsFor(folder, false);
  std::vector<std::string> warnings;
  options.warn = [&](std::string_view text) { warnings.emplace_back(text); };
  std::vector<std::string> leftovers;
  Require(RecoverTableSet(options, &leftovers));
  ASSERT_EQ(folder.Names().size(), 1U);
  const std::string left = folder / folder.Names()[0];
  EXPECT_EQ(leftovers, std::vector<std::string>{left});
  EXPECT_TRUE(warnings.empty());
  options.remove_leftovers = true;
  Require(RecoverTableSet(options, &leftovers));
  EXPECT_EQ(leftovers.size(), 1U);
  EXPECT_EQ(warnings,
            std::vector<std::string>{"removed " + left +
                                     ", left over from an earlier run"});
  EXPECT_TRUE(folder.Names().empty());
}

// Two tables, cut by CompactTables, and one range deletion over both.
TEST(TableSet, OutputsOfACompaction) {
  TableOptions table;
  table.block_size = 100;
  std::vector<Entry> entries;
  entries.reserve(301);
  for (int i = 0; i < 300; ++i) {
    entries.push_back(
        Value("key" + std::to_string(1000 + i), 100 + i, "value"));
  }
  entries.push_back(RangeDeleted("a", 5, "z"));
  const auto input = OpenTable(BuildTable(table, entries));
  CompactionOptions options;
  options.table = table;
  options.build = FixedBuild();
  options.cutter.target_file_size = 500;
  const TestFolder folder;
  auto set = TableSet::Create(OptionsFor(folder, false));
  Require(set.status());
  CompactionResult result;
  Require(CompactTables(options, {{{input.get(), "", ""}}}, {}, set->get(),
                        &result));
  Require((*set)->Commit());
  const auto tables = ReadTableSet(folder / "t.sst");
  Require(tables.status());
  ASSERT_EQ(tables->size(), result.outputs);
  ASSERT_GT(tables->size(), 2U);
  uint64_t found = 0;
  std::vector<std::string> ids;
  for (const TableSetTable& listed : *tables) {
    const std::string bytes = ReadFile(listed.path);
    EXPECT_EQ(listed.file_checksum, ExtendFileChecksum(0, bytes));
    const auto reader = OpenTable(bytes);
    EXPECT_EQ(reader->properties().num_entries, listed.entries);
    found += listed.entries;
    ids.push_back(std::to_string(reader->properties().orig_file_number));
  }
  EXPECT_EQ(found, 300 + result.range_deletions_written);
  EXPECT_EQ(tables->front().smallest, "a");
  EXPECT_TRUE(tables->front().largest_is_exclusive);
  EXPECT_EQ(tables->front().largest, (*tables)[1].smallest);
  EXPECT_EQ(tables->back().largest, "z");
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
}

class Manifests : public ::testing::Test {
 protected:
  Manifests() {
    Require(Make(OptionsFor(folder_, false), kNew));
    manifest_ = ReadFile(path_);
  }
  Result<std::vector<TableSetTable>> ReadWith(const std::string& manifest) {
    WriteFile(path_, manifest);
    return ReadTableSet(folder_ / "t.sst");
  }
  const TestFolder folder_;
  const std::string path_ = folder_ / "t-manifest.json";
  std::string manifest_;
};

TEST_F(Manifests, AreExactlyThis) {
  const size_t version = manifest_.find("\"tool_version\":\"");
  const size_t rest = manifest_.find("\",\"checksum_function\"");
  ASSERT_LT(version, rest);
  manifest_.erase(version, rest - version);
  EXPECT_TRUE(manifest_.starts_with(
      "{\"schema\":\"ashlar/1\",\",\"checksum_function\":"
      "\"FileChecksumCrc32c\",\"files\":[{\"path\":\"t-000001.sst\","
      "\"smallest\":\"6E6577203161\",\"largest\":\"6E6577203162\","
      "\"largest_is_exclusive\":false,\"entries\":1,\"bytes\":5,"
      "\"checksum\":\""))
      << manifest_;
  EXPECT_TRUE(manifest_.ends_with("\"}]}\n"));
}

TEST_F(Manifests, OfOtherForms) {
  // As a person's editor may leave it, with members of later releases.
  const auto tables = ReadWith(
      " { \"later\" : [1, -2.5e3, null, {\"a\": [true, false, \"\\u00e9\"]}],\n"
      "\"schema\":\"ashlar/1\",\t\"files\":[ {\"path\":\"\\u0074-000002.sst\","
      "\"entries\" : 18446744073709551615, \"largest_is_exclusive\": true,"
      "\"x\":{}, \"y\":[]} ] }\r\n");
  Require(tables.status());
  ASSERT_EQ(tables->size(), 1U);
  EXPECT_EQ(tables->front().path, folder_ / "t-000002.sst");
  EXPECT_EQ(tables->front().entries, ~uint64_t{0});
  EXPECT_TRUE(tables->front().largest_is_exclusive);
}

TEST_F(Manifests, ThatAreNone) {
  const std::string begin = "{\"schema\":\"ashlar/1\",\"files\":[";
  for (const std::string& bad : {
           std::string(),
           std::string("[]"),
           std::string("{\"schema\":\"ashlar/1\"}"),
           std::string("{\"files\":[]}"),
           std::string("{\"schema\":\"ashlar/2\",\"files\":[]}"),
           begin + "]}}",
           begin + "1]}",
           begin + "{}]}",
           begin + "{\"path\":\"../t-000001.sst\"}]}",
           begin + "{\"path\":\"u-000001.sst\"}]}",
           begin + "{\"path\":\"t-000001.sst\",\"entries\":1.5}]}",
           begin + "{\"path\":\"t-000001.sst\",\"bytes\":-1}]}",
           begin + "{\"path\":\"t-000001.sst\",\"smallest\":\"6\"}]}",
           begin + "{\"path\":\"t-000001.sst\",\"smallest\":\"6g\"}]}",
           begin + "{\"path\":\"t-000001.sst\",\"checksum\":\"00\"}]}",
           begin + "{\"path\":\"t-000001.sst\\ud800\"}]}",
           begin + "{\"path\":\"\\udc00\\ud800\"}]}",
           begin + "{\"path\":\"\xff\"}]}",
           begin + std::string(100000, '['),
           "{\"a\":" + std::string(100000, '['),
       }) {
    SCOPED_TRACE(bad.substr(0, 100));
    const auto tables = ReadWith(bad);
    EXPECT_TRUE(tables.status().IsInvalidArgument());
    EXPECT_NE(tables.status().message().find(path_), std::string_view::npos);
  }
}

TEST_F(Manifests, CutOrChangedAnywhere) {
  for (size_t size = 0; size + 1 < manifest_.size(); ++size) {
    EXPECT_TRUE(
        ReadWith(manifest_.substr(0, size)).status().IsInvalidArgument());
  }
  Random random(301);
  for (int i = 0; i < 3000; ++i) {
    std::string changed = manifest_;
    for (uint64_t n = 1 + random.Below(4); n != 0; --n) {
      changed[random.Below(changed.size())] =
          static_cast<char>(random.Below(256));
    }
    const auto tables = ReadWith(changed);
    if (!tables.ok()) {
      EXPECT_TRUE(tables.status().IsInvalidArgument());
      continue;
    }
    for (const TableSetTable& table : *tables) {
      EXPECT_TRUE(table.path.starts_with(folder_ / "t-"));
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
