// The command line: flags over gflags' registry, parsed by rules of our own.
//
// gflags holds the values (FLAGS_<name>); walking argv, repeated flags, mixed
// flags and inputs, and every error text are done here, because gflags' own
// parser prints and exits. To be called once, before any thread starts.
#ifndef ASHLAR_TOOLS_ASHLAR_FLAGS_FLAGS_H_
#define ASHLAR_TOOLS_ASHLAR_FLAGS_FLAGS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// One bit a command, for saying which flags it uses.
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
  // Those that take files one by one, and those that take any.
  kEachFile = kCheck | kScan | kVerify | kIdentify | kProperties | kLayout |
              kGet | kRecompress | kRaw | kRewrite | kSalvage | kStats |
              kReport | kOverlap | kSpace,
  kReading = kEachFile | kDiff,
  // Those that may leave some of their inputs out.
  kChoosing = kEachFile & ~(kRewrite | kSalvage),
  // Those that look at some of the keys only.
  kRangeOfKeys = kCheck | kScan | kGet | kSpace,
  // Those that make tables for use, and those that make any.
  kMake = kBuild | kRewrite | kSalvage,
  kPack = kMake | kRecompress,
  kAll = kReading | kMake,
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
  kNewFiles,
  kOther,
};

struct FlagRow {
  FlagKind kind;
  std::string_view name;
  std::string_view default_text;
  std::string_view value;
  FlagGroup group;
  uint32_t commands;  // of CommandBit
  std::string_view help;
};
std::span<const FlagRow> FlagRows();
// Whether the value is a number of bytes, or a number of things: what
// quantity.h reads.
bool TakesBytes(const FlagRow& row);
bool TakesCount(const FlagRow& row);

struct CommandLine {
  // The first reason why this cannot be run; empty when there is none.
  std::string error;
  // Arguments that are no flags, and --file, in order.
  std::vector<std::string> inputs;
  // Where in `inputs` the first word stands that was no flag and stood before
  // "--": it may be the name of a command.
  std::optional<size_t> first_word;
  std::vector<std::string> keys;        // --key
  std::vector<std::string_view> given;  // names of the flags, each once
  std::optional<std::string> help;      // --help, with what it named
  bool version = false;

  bool Given(std::string_view name) const;
};

CommandLine ParseCommandLine(int argc, char** argv);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_FLAGS_FLAGS_H_
