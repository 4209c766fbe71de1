// Tests that the flags of the program agree with the library's table of
// options: kind, default, bounds and names of values.
#include "tools/ashlar/flags/option_flags.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/compression.h"
#include "test/support/option_bounds.h"

namespace ashlar::tool {
namespace {

using testing::ValuesOutside;
using testing::ValuesWithin;

CommandLine Parse(std::vector<std::string> words) {
  words.insert(words.begin(), "ashlar");
  std::vector<char*> argv;
  argv.reserve(words.size());
  for (std::string& word : words) argv.push_back(word.data());
  return ParseCommandLine(static_cast<int>(argv.size()), argv.data());
}

// Returns "--<flag>=<text>".
std::string Word(const FlagRow& flag, std::string_view text) {
  return "--" + std::string(flag.name) + "=" + std::string(text);
}

// Returns what the program says of a value that is not within the bounds.
std::string Refusal(const FlagRow& flag, std::string_view text,
                    const OptionBounds& bounds) {
  return "--" + std::string(flag.name) + ": '" + std::string(text) +
         "' is out of range, expected " + DescribeBounds(bounds);
}

// Every test leaves the flags as it found them.
class OptionFlagsTest : public ::testing::Test {
 private:
  gflags::FlagSaver saver_;
};

std::vector<std::string> WordsOf(const FlagRow& flag) {
  std::vector<std::string> words = {""};
  for (const char c : flag.value) {
    if (c == '|') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

// Calls visit(row, flag, rows) for each option that has a flag. Returns their
// number.
template <typename Visit>
size_t ForEachFlagOf(const Visit& visit) {
  size_t count = 0;
  const auto walk = [&](const auto& rows) {
    for (const auto& row : rows) {
      const FlagRow* const flag = FlagOf(row.name);
      if (flag == nullptr) continue;
      SCOPED_TRACE(row.name);
      visit(row, *flag, rows);
      ++count;
    }
  };
  walk(TableOptionRows());
  walk(BuildOptionRows());
  walk(ReaderOptionRows());
  return count;
}

template <typename Options>
OptionValue DefaultOf(const OptionRow<Options>& row) {
  return row.member.get(Options());
}

TEST_F(OptionFlagsTest, EveryBoundIsThatOfTheOption) {
  size_t bounded = 0;
  size_t refused = 0;
  ForEachFlagOf([&](const auto& row, const FlagRow& flag, const auto&) {
    const OptionBounds& bounds = row.member.bounds;
    ASSERT_NE(BoundsOf(flag), nullptr);
    EXPECT_EQ(DescribeBounds(*BoundsOf(flag)), DescribeBounds(bounds));
    if (!testing::IsBounded(bounds) || !bounds.names.empty()) return;
    ++bounded;
    for (const OptionValue& value : ValuesWithin(bounds)) {
      const std::string text = DescribeValue({}, value);
      EXPECT_EQ(Parse({Word(flag, text)}).error, "");
      EXPECT_EQ(OptionValueOf(flag), value) << text;
    }
    for (const OptionValue& value : ValuesOutside(bounds)) {
      const std::string text = DescribeValue({}, value);
      EXPECT_EQ(Parse({"--" + std::string(flag.name), text}).error,
                Refusal(flag, text, bounds));
      ++refused;
    }
  });
  EXPECT_EQ(bounded, 14U);
  EXPECT_GT(refused, bounded);
}

TEST_F(OptionFlagsTest, KindAndDefaultAreThoseOfTheOption) {
  ForEachFlagOf([](const auto& row, const FlagRow& flag, const auto&) {
    const OptionValue value = OptionValueOf(flag);
    // These defaults depend on what is built in, or differ on purpose.
    if (row.name == "compression") return;
    if (row.name == "parallel_threads") {
      EXPECT_EQ(value, OptionValue(0u));
      return;
    }
    EXPECT_EQ(static_cast<OptionKind>(value.index()), row.member.kind);
    // Without a flag, the order of the keys is the file's.
    if (row.name == "comparator") return;
    EXPECT_EQ(value, DefaultOf(row));
  });
}

TEST_F(OptionFlagsTest, WordsAreTheEnumerators) {
  size_t enumerations = 0;
  ForEachFlagOf([&](const auto& row, const FlagRow& flag, const auto&) {
    const auto& names = row.member.bounds.names;
    if (names.empty() || row.name == "compression" || row.name == "checksum") {
      return;
    }
    const std::vector<std::string> words = WordsOf(flag);
    ASSERT_EQ(words.size(), names.size());
    for (uint32_t i = 0; i < words.size(); ++i) {
      EXPECT_EQ(Parse({Word(flag, words[i])}).error, "");
      EXPECT_EQ(OptionValueOf(flag), OptionValue(i)) << words[i];
    }
    ++enumerations;
  });
  EXPECT_EQ(enumerations, 4U);
  EXPECT_EQ(
      WordsOf(*FlagOf("index_type")),
      (std::vector<std::string>{"binary", "hash", "partitioned", "first_key"}));
  EXPECT_EQ(WordsOf(*FlagOf("filter")),
            (std::vector<std::string>{"none", "bloom", "ribbon"}));
  EXPECT_EQ(WordsOf(*FlagOf("index_shortening")),
            (std::vector<std::string>{"none", "separators", "successor"}));
  EXPECT_EQ(WordsOf(*FlagOf("data_block_index_type")),
            (std::vector<std::string>{"binary", "hash"}));
  for (const char* const option : {"compression", "checksum"}) {
    const auto* const row = FindOption(TableOptionRows(), option);
    const FlagRow& flag = *FlagOf(option);
    for (uint32_t i = 0; i < row->member.bounds.names.size(); ++i) {
      const std::string name(row->member.bounds.names[i]);
      Parse({Word(flag, name)});
      EXPECT_EQ(OptionValueOf(flag), OptionValue(i)) << name;
    }
    Parse({Word(flag, "x")});
    EXPECT_EQ(OptionValueOf(flag), OptionValue()) << option;
  }
}

// A value for the flag, other than its default.
std::string OtherText(std::string_view option, const FlagRow& flag,
                      const OptionBounds& bounds) {
  if (option == "comparator") return "rocksdb.ReverseBytewiseComparator";
  if (option == "prefix_extractor") return "rocksdb.FixedPrefix.3";
  if (option == "compression") return "none";
  if (option == "checksum") return "kCRC32c";
  if (flag.value.find('|') != std::string_view::npos) {
    const std::vector<std::string> words = WordsOf(flag);
    return flag.default_text.find(words.back()) == std::string_view::npos
               ? words.back()
               : words.front();
  }
  if (flag.kind == FlagKind::bool_) {
    return flag.default_text == "true" ? "false" : "true";
  }
  return testing::IsBounded(bounds) ? DescribeValue({}, bounds.max) : "7";
}

TEST_F(OptionFlagsTest, OnlyTheOptionOfAGivenFlagIsSet) {
  const size_t flags = ForEachFlagOf([](const auto& row, const FlagRow& flag,
                                        const auto& rows) {
    const std::string text = OtherText(row.name, flag, row.member.bounds);
    const CommandLine line = Parse({Word(flag, text)});
    EXPECT_EQ(line.error, "");
    auto options = [&]<typename Options>(const OptionRow<Options>&) {
      return Options();
    }(row);
    EXPECT_EQ(SetOptions(line, rows, &options), "");
    for (const auto& other : rows) {
      EXPECT_EQ(other.member.get(options) == DefaultOf(other), &other != &row)
          << other.name;
    }
    EXPECT_EQ(row.member.get(options), OptionValueOf(flag));
  });
  EXPECT_EQ(flags, 45U);
}

// An option that gets no flag is named here.
TEST_F(OptionFlagsTest, OptionsWithoutAFlag) {
  const std::set<std::string_view> expected = {
      "persist_user_defined_timestamps", "uniform_cv_threshold"};
  std::set<std::string_view> found;
  for (const auto& row : TableOptionRows()) {
    if (FlagOf(row.name) == nullptr) found.insert(row.name);
  }
  EXPECT_EQ(found, expected);
}

TEST_F(OptionFlagsTest, NamesOfNothing) {
  const struct {
    const char* word;
    const char* error;
  } cases[] = {
      {"--compression_type=x",
       "--compression_type: 'x' is not the name of a codec"},
      {"--compression_type=",
       "--compression_type: '' is not the name of a codec"},
      {"--checksum_type=5",
       "--checksum_type: '5' is not the name of a checksum"},
      {"--prefix_extractor=x",
       "--prefix_extractor: 'x' is not a built-in prefix extractor"},
      {"--prefix_extractor=", ""},
      {"--comparator=x", "--comparator: 'x' is not a built-in comparator"},
  };
  for (const auto& [word, error] : cases) {
    TableOptions options;
    EXPECT_EQ(SetOptions(Parse({word}), TableOptionRows(), &options), error);
  }
}

}  // namespace
}  // namespace ashlar::tool
