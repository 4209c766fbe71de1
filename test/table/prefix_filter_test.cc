// Tests filters of whole keys, of prefixes, or of both: what they contain, and
// what they are asked.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/util/file.h"
#include "table/filter/full_filter.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using namespace internal;
using Filter = GetResult::Filter;

// The prefix of a key of at least 4 bytes is its first byte. Shorter keys have
// none.
class FirstByte final : public PrefixExtractor {
 public:
  explicit FirstByte(std::string_view name) : name_(name) {}
  std::string_view Name() const override { return name_; }
  bool InDomain(const Slice& key) const override { return key.size() >= 4; }
  Slice Transform(const Slice& key) const override { return {key.data(), 1}; }

 private:
  const std::string name_;
};

const std::vector<std::string> kKeys = {"a",    "aaaa", "aaab", "bb",
                                        "cccc", "dddd", "dddx"};

std::string BuildKeys(const TableOptions& options) {
  std::vector<Entry> entries;
  entries.reserve(kKeys.size());
  for (const std::string& key : kKeys) entries.push_back(Value(key, 0, "v"));
  return BuildTable(options, entries);
}

Filter Ask(const TableReader& reader, const std::string& key) {
  GetResult result;
  Require(reader.Get(key, &result));
  return result.filter;
}

void ExpectSound(const std::string& file) {
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("a.sst", file), {}, &inspection));
  for (const TableFault& fault : inspection.faults) {
    ADD_FAILURE() << fault.status.ToString();
  }
}

TEST(PrefixFilter, PrefixesAlone) {
  TableOptions options;
  options.prefix_extractor = NewFixedPrefixExtractor(3);
  options.whole_key_filtering = false;
  const std::string file = BuildKeys(options);
  ExpectSound(file);
  const auto reader = OpenTable(file);
  const TableProperties& p = reader->properties();
  EXPECT_EQ(p.prefix_extractor_name, "rocksdb.FixedPrefix.3");
  EXPECT_EQ(p.whole_key_filtering, "0");
  EXPECT_EQ(p.prefix_filtering, "1");
  EXPECT_EQ(p.num_filter_entries, 3u);  // aaa, ccc, ddd
  for (const std::string& key : kKeys) {
    EXPECT_EQ(Ask(*reader, key),
              key.size() < 3 ? Filter::kNone : Filter::kMaybe)
        << key;
  }
  // Other keys with a known prefix may be there. Keys with other prefixes are
  // ruled out.
  EXPECT_EQ(Ask(*reader, "aaaz"), Filter::kMaybe);
  EXPECT_EQ(Ask(*reader, "eeee"), Filter::kAbsent);
  EXPECT_EQ(Ask(*reader, "zz"), Filter::kNone);
}

TEST(PrefixFilter, KeysAndPrefixes) {
  TableOptions options;
  options.prefix_extractor = NewCappedPrefixExtractor(3);
  const std::string file = BuildKeys(options);
  ExpectSound(file);
  const auto reader = OpenTable(file);
  EXPECT_EQ(reader->properties().whole_key_filtering, "1");
  EXPECT_EQ(reader->properties().prefix_filtering, "1");
  // a, aaa, aaaa, aaab, bb, ccc, cccc, ddd, dddd, dddx
  EXPECT_EQ(reader->properties().num_filter_entries, 10u);
  for (const std::string& key : kKeys) {
    EXPECT_EQ(Ask(*reader, key), Filter::kMaybe) << key;
  }
  EXPECT_EQ(Ask(*reader, "aaaz"), Filter::kAbsent);
}

TEST(PrefixFilter, NothingToAdd) {
  TableOptions options;
  options.whole_key_filtering = false;
  const std::string file = BuildKeys(options);
  ExpectSound(file);
  const auto reader = OpenTable(file);
  EXPECT_EQ(reader->properties().filter_size, 0u);
  EXPECT_EQ(Ask(*reader, "aaaa"), Filter::kNone);
}

// The filter of an extractor that is not built in can be used only with that
// extractor. An extractor with another name is not used.
TEST(PrefixFilter, TheExtractorMustBeTheFiles) {
  TableOptions options;
  options.prefix_extractor = std::make_shared<FirstByte>("mine");
  options.whole_key_filtering = false;
  const std::string file = BuildKeys(options);
  ExpectSound(file);
  EXPECT_EQ(Ask(*OpenTable(file), "eeee"), Filter::kNone);
  ReaderOptions given;
  given.prefix_extractor = std::make_shared<FirstByte>("other");
  EXPECT_EQ(Ask(*OpenTable(file, given), "eeee"), Filter::kNone);
  given.prefix_extractor = std::make_shared<FirstByte>("mine");
  const auto reader = OpenTable(file, given);
  EXPECT_EQ(Ask(*reader, "eeee"), Filter::kAbsent);
  EXPECT_EQ(Ask(*reader, "dddz"), Filter::kMaybe);
  EXPECT_EQ(Ask(*reader, "bb"), Filter::kNone);
}

// FORMAT.md, 9.4, says which of the two hashes of a key and its prefix are
// dropped.
TEST(PrefixFilter, Deduplication) {
  HashCollector hashes([](uint64_t) { return HashParting{0, 1}; });
  const auto added = [&](uint64_t key, uint64_t prefix) {
    const uint64_t before = hashes.size();
    hashes.AddPair(key, prefix);
    return hashes.size() - before;
  };
  EXPECT_EQ(added(0, 0), 1u);  // the key is its own prefix
  EXPECT_EQ(added(0, 0), 0u);  // the same again
  EXPECT_EQ(added(10, 1), 2u);
  EXPECT_EQ(added(10, 1), 0u);
  EXPECT_EQ(added(11, 1), 1u);  // the prefix was added
  EXPECT_EQ(added(2, 11), 1u);  // the prefix is the last hash
  EXPECT_EQ(added(11, 3), 1u);  // the key is the last prefix
  hashes.Add(3);                // becomes the last hash
  EXPECT_EQ(added(3, 4), 1u);   // the key is the last hash
  EXPECT_EQ(hashes.size(), 7u);
  EXPECT_EQ(hashes.first(), 0u);
  hashes.Clear();
  EXPECT_TRUE(hashes.empty());
  EXPECT_EQ(added(5, 4), 2u);
  EXPECT_EQ(hashes.first(), 4u);
}

}  // namespace
}  // namespace ashlar::testing
