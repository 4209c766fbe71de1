#include "tools/ashlar/flags/flags.h"

#include <algorithm>

#include "tools/ashlar/flags/option_flags.h"
#include "tools/ashlar/flags/suggestion.h"
#include "tools/quantity.h"

#define ASHLAR_DEFINE_own(...)
#define ASHLAR_DEFINE_bool(...) DEFINE_bool(__VA_ARGS__);
#define ASHLAR_DEFINE_int32(...) DEFINE_int32(__VA_ARGS__);
#define ASHLAR_DEFINE_uint32(...) DEFINE_uint32(__VA_ARGS__);
#define ASHLAR_DEFINE_uint64(...) DEFINE_uint64(__VA_ARGS__);
#define ASHLAR_DEFINE_double(...) DEFINE_double(__VA_ARGS__);
#define ASHLAR_DEFINE_string(...) DEFINE_string(__VA_ARGS__);
#define ASHLAR_DEFINE(kind, name, initial, value, group, commands, help) \
  ASHLAR_DEFINE_##kind(name, initial, help)
ASHLAR_FLAG_LIST(ASHLAR_DEFINE)

namespace ashlar::tool {
namespace {

using enum FlagGroup;

#define ASHLAR_KIND_own FlagKind::own
#define ASHLAR_KIND_bool FlagKind::bool_
#define ASHLAR_KIND_int32 FlagKind::int32_
#define ASHLAR_KIND_uint32 FlagKind::uint32_
#define ASHLAR_KIND_uint64 FlagKind::uint64_
#define ASHLAR_KIND_double FlagKind::double_
#define ASHLAR_KIND_string FlagKind::string_
#define ASHLAR_READ_own(name) nullptr
#define ASHLAR_READ_number(name) []() -> OptionValue { return FLAGS_##name; }
#define ASHLAR_READ_bool(name) ASHLAR_READ_number(name)
#define ASHLAR_READ_int32(name) ASHLAR_READ_number(name)
#define ASHLAR_READ_uint32(name) ASHLAR_READ_number(name)
#define ASHLAR_READ_uint64(name) ASHLAR_READ_number(name)
#define ASHLAR_READ_double(name) ASHLAR_READ_number(name)
#define ASHLAR_READ_string(name) \
  []() -> OptionValue { return std::string_view(FLAGS_##name); }
#define ASHLAR_ROW(kind, name, initial, value, group, commands, help)      \
  {ASHLAR_KIND_##kind,      #name, #initial, value, group, commands, help, \
   ASHLAR_READ_##kind(name)},
constexpr FlagRow kFlagRows[] = {ASHLAR_FLAG_LIST(ASHLAR_ROW)};

const FlagRow* FindFlag(std::string_view name) {
  // RocksDB's tool has two names for this one.
  if (name == "set_block_size") name = "block_size";
  for (const FlagRow& row : kFlagRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

bool IsChoice(std::string_view choices, std::string_view value) {
  while (true) {
    const size_t bar = choices.find('|');
    if (choices.substr(0, bar) == value) return true;
    if (bar == std::string_view::npos) return false;
    choices.remove_prefix(bar + 1);
  }
}

std::string Named(std::string_view name) { return "--" + std::string(name); }

// Returns why a malformed value of this flag is refused.
std::string_view Expected(const FlagRow& row) {
  if (TakesBytes(row)) {
    return "not a number of bytes, such as 4096, 16KiB or 128M, or too large";
  }
  switch (row.kind) {
    case FlagKind::bool_:
      return "neither true nor false";
    case FlagKind::int32_:
      return "not a whole number in range";
    case FlagKind::uint32_:
    case FlagKind::uint64_:
      return "not a whole number from 0 up, or too large";
    case FlagKind::double_:
      return "not a number";
    case FlagKind::own:
    case FlagKind::string_:
      break;
  }
  return "not a possible value";
}

// The parts of a word such as --name=value or -noname.
struct FlagWord {
  std::string name;
  std::optional<std::string> value;
  const FlagRow* row = nullptr;
};

// Flags of one letter, with one dash.
struct ShortFlag {
  std::string_view letter;
  std::string_view name;
};
constexpr ShortFlag kShortFlags[] = {
    {"h", "help"}, {"V", "version"}, {"n", "limit"}};

FlagWord SplitFlag(std::string_view word) {
  const bool is_short = !word.starts_with("--");
  word.remove_prefix(is_short ? 1 : 2);
  FlagWord flag;
  const size_t equals = word.find('=');
  flag.name = std::string(word.substr(0, equals));
  if (equals != std::string_view::npos) {
    flag.value = std::string(word.substr(equals + 1));
  }
  for (const ShortFlag& each : kShortFlags) {
    if (is_short && flag.name == each.letter) flag.name = each.name;
  }
  flag.row = FindFlag(flag.name);
  if (flag.row == nullptr && flag.name.starts_with("no") && !flag.value) {
    const FlagRow* const positive = FindFlag(flag.name.substr(2));
    if (positive != nullptr && positive->kind == FlagKind::bool_) {
      flag.row = positive;
      flag.value = "false";
    }
  }
  return flag;
}

class Parser {
 public:
  Parser(int argc, char** argv) {
    // A caller may pass no program name either.
    if (argc > 1) words_.assign(argv + 1, argv + argc);
  }

  CommandLine Parse() {
    bool flags_ended = false;
    bool any_word = false;
    while (next_ < words_.size()) {
      const std::string_view word = words_[next_++];
      if (!flags_ended && word == "--") {
        flags_ended = true;
      } else if (!flags_ended && word.size() > 1 && word[0] == '-') {
        TakeFlag(word);
      } else {
        if (!any_word && !flags_ended) line_.first_word = line_.inputs.size();
        any_word = true;
        line_.inputs.emplace_back(word);
      }
    }
    return std::move(line_);
  }

 private:
  // Only the first error is reported, but parsing goes on, because --nostrict
  // may follow.
  void Fail(std::string reason) {
    if (line_.error.empty()) line_.error = std::move(reason);
  }

  void TakeFlag(std::string_view word) {
    FlagWord flag = SplitFlag(word);
    if (flag.row == nullptr) {
      std::vector<std::string_view> names;
      for (const FlagRow& row : kFlagRows) names.push_back(row.name);
      const std::string nearest = Nearest(flag.name, names);
      Fail("unknown flag " + Named(flag.name) +
           (nearest.empty() ? "" : "; did you mean " + Named(nearest) + "?"));
      return;
    }
    const FlagRow& row = *flag.row;
    const bool optional_value = row.kind == FlagKind::bool_ ||
                                row.name == "help" || row.name == "version";
    if (!flag.value && !optional_value) {
      if (next_ == words_.size()) {
        Fail(Named(flag.name) + " needs a value");
        return;
      }
      flag.value = std::string(words_[next_++]);
    }
    if (!line_.Given(row.name)) line_.given.push_back(row.name);
    if (row.kind == FlagKind::own) {
      TakeOwn(row, flag);
    } else {
      Set(row, flag);
    }
  }

  void TakeOwn(const FlagRow& row, const FlagWord& flag) {
    if (row.name == "file") {
      line_.inputs.push_back(*flag.value);
    } else if (row.name == "key") {
      line_.keys.push_back(*flag.value);
    } else if (row.name == "deeper") {
      line_.deeper.push_back(*flag.value);
    } else if (row.name == "help") {
      line_.help = flag.value.value_or("");
    } else if (flag.value) {
      Fail(Named(row.name) + " takes no value");
    } else {
      line_.version = true;
    }
  }

  void Set(const FlagRow& row, const FlagWord& flag) {
    std::string value = flag.value.value_or("true");
    if (row.value.find('|') != std::string_view::npos &&
        !IsChoice(row.value, value)) {
      Fail(Named(flag.name) + ": '" + value + "' is none of " +
           std::string(row.value));
      return;
    }
    const std::string given = value;
    const bool negative =
        row.kind == FlagKind::int32_ && value.starts_with('-');
    bool good = true;
    if ((TakesBytes(row) || TakesCount(row)) && !negative) {
      const auto number =
          TakesBytes(row) ? ParseBytes(value) : ParseCount(value);
      good = number.has_value();
      if (good) value = std::to_string(*number);
    }
    if (!good || gflags::SetCommandLineOption(std::string(row.name).c_str(),
                                              value.c_str())
                     .empty()) {
      Fail(Named(flag.name) + ": '" + given + "' is " +
           std::string(Expected(row)));
      return;
    }
    CheckBounds(row, flag.name, given);
  }

  // Refuses a value that the option of the flag cannot have. A flag that names
  // an enumerator has been checked already.
  void CheckBounds(const FlagRow& row, const std::string& name,
                   const std::string& given) {
    const OptionBounds* const bounds = BoundsOf(row);
    if (bounds == nullptr || !bounds->names.empty() ||
        IsWithin(*bounds, OptionValueOf(row))) {
      return;
    }
    Fail(Named(name) + ": '" + given + "' is out of range, expected " +
         DescribeBounds(*bounds));
  }

  std::vector<std::string_view> words_;
  size_t next_ = 0;
  CommandLine line_;
};

}  // namespace

std::span<const FlagRow> FlagRows() { return kFlagRows; }

bool TakesBytes(const FlagRow& row) {
  return row.value == "bytes" &&
         (row.kind == FlagKind::uint32_ || row.kind == FlagKind::uint64_);
}

bool TakesCount(const FlagRow& row) {
  return row.value == "n" && row.kind != FlagKind::double_;
}

bool CommandLine::Given(std::string_view name) const {
  return std::find(given.begin(), given.end(), name) != given.end();
}

CommandLine ParseCommandLine(int argc, char** argv) {
  return Parser(argc, argv).Parse();
}

}  // namespace ashlar::tool
