// The command line: flags in gflags' registry, parsed by our own rules.
//
// gflags holds the values (FLAGS_<name>). This file walks over argv, handles
// repeated flags and flags between inputs, and makes every error text, because
// gflags' own parser prints and exits. To be called once, before any thread
// starts.
#ifndef ASHLAR_TOOLS_ASHLAR_FLAGS_FLAGS_H_
#define ASHLAR_TOOLS_ASHLAR_FLAGS_FLAGS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/option_table.h"
#include "third-party/gflags_lib.h"
#include "tools/ashlar/flags/flag_list.h"

#define ASHLAR_DECLARE_own(name)
#define ASHLAR_DECLARE_bool(name) DECLARE_bool(name);
#define ASHLAR_DECLARE_int32(name) DECLARE_int32(name);
#define ASHLAR_DECLARE_uint32(name) DECLARE_uint32(name);
#define ASHLAR_DECLARE_uint64(name) DECLARE_uint64(name);
#define ASHLAR_DECLARE_double(name) DECLARE_double(name);
#define ASHLAR_DECLARE_string(name) DECLARE_string(name);
#define ASHLAR_DECLARE(kind, name, ...) ASHLAR_DECLARE_##kind(name)
ASHLAR_FLAG_LIST(ASHLAR_DECLARE)

namespace ashlar::tool {

// One bit per command. A flag's row says with these which commands use it.
enum CommandBit : uint32_t {
  kCheck = 1 << 0,
  kScan = 1 << 1,
  kVerify = 1 << 2,
  kIdentify = 1 << 3,
  kProperties = 1 << 4,
  kLayout = 1 << 5,
  kGet = 1 << 6,
  kBuild = 1 << 7,
  kRecompress = 1 << 8,
  kRaw = 1 << 9,
  kRewrite = 1 << 10,
  kSalvage = 1 << 11,
  kDiff = 1 << 12,
  kStats = 1 << 13,
  kReport = 1 << 14,
  kOverlap = 1 << 15,
  kSpace = 1 << 16,
  kCompact = 1 << 17,
  kCacheSim = 1 << 18,
  // Commands that work on one file after the other, and commands that read any
  // files.
  kEachFile = kCheck | kScan | kVerify | kIdentify | kProperties | kLayout |
              kGet | kRecompress | kRaw | kRewrite | kSalvage | kStats |
              kReport | kOverlap | kSpace,
  kReading = kEachFile | kDiff | kCompact,
  // Commands that may skip some of their inputs.
  kChoosing = kEachFile & ~(kRewrite | kSalvage),
  // Commands that can be limited to some of the keys.
  kRangeOfKeys = kCheck | kScan | kGet | kSpace,
  // Commands that take a folder as a database, and commands that may join
  // merge operands.
  kOfDatabases = kGet | kScan | kDiff | kSpace | kStats | kReport,
  kMerge = kCompact | kScan | kDiff,
  // Commands that take the ends of a range.
  kEndsOfRange = kRangeOfKeys | kCompact | kBuild,
  // Commands that make tables for use, and commands that make any tables.
  kMake = kBuild | kRewrite | kSalvage | kCompact,
  kPack = kMake | kRecompress,
  kAll = kReading | kMake | kCacheSim,
};

enum class FlagKind : uint8_t {
  own,
  bool_,
  int32_,
  uint32_,
  uint64_,
  double_,
  string_,
};
enum class FlagGroup : uint8_t {
  kInput,
  kRange,
  kOutput,
  kVerification,
  kRecompression,
  kCompaction,
  kSimulation,
  kNewFiles,
  kOther,
};

struct FlagRow {
  FlagKind kind;
  std::string_view name;
  std::string_view default_text;
  std::string_view value;
  FlagGroup group;
  uint32_t commands;  // bits of CommandBit
  std::string_view help;
  // Returns the value that the flag has now. Null for kind `own`.
  OptionValue (*read)();
};
std::span<const FlagRow> FlagRows();
// Return whether the value is a number of bytes, or a number of things.
// quantity.h reads both.
bool TakesBytes(const FlagRow& row);
bool TakesCount(const FlagRow& row);

struct CommandLine {
  // The first reason why the line cannot be run. Empty if it can be.
  std::string error;
  // Arguments that are not flags, and the values of --file, in their order.
  std::vector<std::string> inputs;
  // The index in `inputs` of the first word that was not a flag and came before
  // "--". It may be the name of a command.
  std::optional<size_t> first_word;
  // Whether that word was the command, as in `ashlar check FILE`. Otherwise the
  // line is in the form of RocksDB's sst_dump.
  bool has_command_word = false;
  std::vector<std::string> keys;        // --key
  std::vector<std::string> deeper;      // --deeper
  std::vector<std::string_view> given;  // names of the flags, each once
  std::optional<std::string> help;      // the value of --help
  bool version = false;

  bool Given(std::string_view name) const;
};

CommandLine ParseCommandLine(int argc, char** argv);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_FLAGS_FLAGS_H_
