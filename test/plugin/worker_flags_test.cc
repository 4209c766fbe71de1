// The flags of ashlar_compaction_worker: each does what --help says, and a
// wrong one is named.
#include "plugin/rocksdb/compaction_service/worker_flags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ashlar_rocksdb {
namespace {

TEST(WorkerFlags, AreParsed) {
  WorkerFlags flags;
  EXPECT_EQ(
      ParseWorkerFlags({"--folder=/a=b", "--name=n", "--under=/x", "--under=/y",
                        "--lease=5", "--attempts=2", "--threads=3",
                        "--exit-when-idle=7", "--no-library", "--quiet"},
                       &flags),
      "");
  EXPECT_EQ(flags.folder, "/a=b");
  EXPECT_EQ(flags.name, "n");
  EXPECT_EQ(flags.under, (std::vector<std::string>{"/x", "/y"}));
  EXPECT_EQ(flags.lease, 5u);
  EXPECT_EQ(flags.attempts, 2u);
  EXPECT_EQ(flags.threads, 3u);
  EXPECT_EQ(flags.idle_exit, 7u);
  EXPECT_TRUE(flags.no_library);
  EXPECT_FALSE(flags.no_rocksdb);
  EXPECT_TRUE(flags.quiet);
}

TEST(WorkerFlags, NameWhatIsWrong) {
  const struct {
    std::vector<std::string> arguments;
    std::string fault;
  } kFaults[] = {
      {{}, "give one of --folder and --queue"},
      {{"--folder=a", "--queue=b"}, "give one of --folder and --queue"},
      {{"--folder"}, "--folder needs a value"},
      {{"--under="}, "--under needs a value"},
      {{"--folder=a", "--threads=x"}, "--threads needs a number"},
      {{"--folder=a", "--threads=-1"}, "--threads needs a number"},
      {{"--folder=a", "--threads="}, "--threads needs a number"},
      {{"--folder=a", "--threads=0"}, "--threads is out of range: 1 to 256"},
      {{"--folder=a", "--lease=0"},
       "--lease is out of range: 1 to 1000000000 seconds"},
      {{"--folder=a", "--lease=99999999999999999999"},
       "--lease needs a number"},
      {{"--folder=a", "--attempts=0"}, "--attempts must be 1 at least"},
      {{"--folder=a", "--quiet=1"}, "--quiet takes no value"},
      {{"--folders=a"}, "--folders=a is no flag; see --help"},
      {{"a"}, "a is no flag; see --help"},
  };
  for (const auto& wrong : kFaults) {
    WorkerFlags flags;
    EXPECT_EQ(ParseWorkerFlags(wrong.arguments, &flags), wrong.fault);
  }
}

TEST(WorkerFlags, HelpNamesEachFlag) {
  WorkerFlags flags;
  EXPECT_EQ(ParseWorkerFlags({"--help"}, &flags), "");
  EXPECT_TRUE(flags.help);
  const std::string help = kWorkerHelp;
  for (const char* flag :
       {"--folder=", "--queue=", "--name=", "--under=", "--lease=",
        "--attempts=", "--threads=", "--exit-when-idle=", "--no-library",
        "--no-rocksdb", "--quiet"}) {
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
  }
}

}  // namespace
}  // namespace ashlar_rocksdb
