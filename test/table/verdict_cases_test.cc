// Tests verdicts on damage that random mutants seldom have. Each table differs
// from a sound one in one thing that a reader relies on.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "table/filter/filter_bits.h"
#include "table/index/index_block.h"
#include "table/meta/properties_block.h"
#include "test/fuzz/sign_table.h"
#include "test/support/resign.h"
#include "test/support/tables.h"
#include "test/support/verdict_check.h"

namespace ashlar::testing {
namespace {

using namespace internal;

void ExpectFault(const std::string& table, const std::string& words) {
  const VerdictCheck check = CheckVerdict(table);
  EXPECT_FALSE(check.passes);
  EXPECT_EQ(check.broken_promise, "");
  EXPECT_NE(check.fault.find(words), std::string::npos) << check.fault;
}

void ExpectSound(const std::string& table) {
  const VerdictCheck check = CheckVerdict(table);
  EXPECT_TRUE(check.passes) << check.fault;
  EXPECT_EQ(check.broken_promise, "");
}

// Two versions of a key differ only in their sequence numbers. Ingestion then
// gave the whole file one sequence number.
TEST(VerdictCases, AGlobalSequenceNumberMakesTwoVersionsOne) {
  TableOptions options;
  options.compression = CompressionType::kNoCompression;
  options.filter = FilterType::kNone;
  options.block_restart_interval = 1;
  std::string table;
  const auto file = NewMemoryWritableFile("external.sst", &table);
  auto writer = ExternalFileWriter::Create(file.get(), options, FixedBuild());
  Require(writer.status());
  for (const char* key : {"key1", "key2"}) Require((*writer)->Put(key, "v"));
  Require((*writer)->Finish());
  const BlockInfo data = FindBlock(BlocksOf(table), BlockKind::kData);
  const size_t first = table.find("key1", data.offset);
  table.replace(first, 12, MakeInternalKey("key2", 5, ValueType::kTypeValue));
  Resign(data, &table);
  ExpectSound(table);
  const BlockInfo block = FindBlock(BlocksOf(table), BlockKind::kProperties);
  const size_t at =
      FindGlobalSeqno(Slice(table.data() + block.offset, block.size));
  ASSERT_NE(at, 0u);
  StoreFixed64(table.data() + block.offset + at, 9);
  ExpectFault(
      table,
      "two keys are equal under the global sequence number in data block #0");
}

// Builds a table whose filter has one prefix per key, in many partitions.
std::string TableOfPartitions(bool whole_keys) {
  TableOptions options;
  options.format_version = 5;
  options.compression = CompressionType::kNoCompression;
  options.block_size = 1;
  options.metadata_block_size = 1;
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.partition_filters = true;
  options.prefix_extractor = NewFixedPrefixExtractor(2);
  options.whole_key_filtering = whole_keys;
  std::vector<Entry> entries;
  for (char a = 'a'; a <= 'z'; ++a) {
    for (char b = 'a'; b <= 'z'; ++b) {
      entries.push_back(Value(std::string{a, b, '4'}, 7, "v"));
    }
  }
  return BuildTable(options, entries);
}

// Calls visit(i, key, value) with the offsets in the table where the separator
// of filter partition i and its handle are stored.
void ForEachPartition(
    const std::string& table,
    const std::function<void(size_t, size_t key, size_t value)>& visit) {
  const BlockInfo top = FindBlock(BlocksOf(table), BlockKind::kFilter);
  const BlockPlace place{BlockKind::kFilter, {top.offset, top.size}};
  BlockView view;
  Require(ParseBlock(Slice(table.data() + top.offset, top.size), place, &view));
  size_t i = 0;
  Require(ForEachIndexEntry(
      view, place, {true, true, false},
      [&](const Slice&, const IndexEntry& entry) -> Status {
        visit(i++, static_cast<size_t>(entry.suffix.data() - table.data()),
              static_cast<size_t>(entry.suffix.end() - table.data()));
        return {};
      }));
}

// Clears a bit of a filter partition that `prefix` needs, and that no prefix
// between `first` and `prefix` needs. Returns false if there is no such bit.
bool ForgetPrefix(const BlockInfo& block, const std::string& first,
                  const std::string& prefix, std::string* table) {
  const auto knows = [&](const std::string& asked) {
    return FilterBitsReader(Slice(table->data() + block.offset, block.size))
        .MayMatchBytes(asked);
  };
  for (size_t bit = 0; bit < 8 * (block.size - 5); ++bit) {
    char& byte = (*table)[block.offset + bit / 8];
    const char whole = byte;
    byte = static_cast<char>(byte & ~(1 << bit % 8));
    bool knows_own = true;
    for (char a = 'a'; a <= 'z'; ++a) {
      for (char b = 'a'; b <= 'z'; ++b) {
        const std::string own{a, b};
        if (own > first && own < prefix) knows_own &= knows(own);
      }
    }
    if (knows_own && !knows(prefix)) return true;
    byte = whole;
  }
  return false;
}

// A seek to a prefix may ask the filter partition before the one with the
// prefix's keys, if that partition ends with a key of the prefix.
TEST(VerdictCases, APrefixThatTheFilterPartitionBeforeDoesNotKnow) {
  const std::string sound = TableOfPartitions(false);
  ExpectSound(sound);
  const std::vector<BlockInfo> blocks = BlocksOf(sound);
  std::string last(2, '\0');  // prefix of the partition before
  size_t forgotten = 0;
  ForEachPartition(sound, [&](size_t i, size_t key, size_t) {
    const std::string before = std::exchange(last, sound.substr(key, 2));
    if (last[1] == 'z') return;
    // The separator is now before the first key of the next partition, but has
    // the prefix of that key. The builder has added that prefix to this
    // partition too.
    std::string table = sound;
    ++table[key + 1];
    table[key + 2] = '0';
    fuzz::SignTable(&table);
    ExpectSound(table);
    const BlockInfo block = FindBlock(blocks, BlockKind::kFilterPartition, i);
    if (!ForgetPrefix(block, before, table.substr(key, 2), &table)) return;
    ++forgotten;
    Resign(block, &table);
    ExpectFault(table, "filter does not match a key in data block #");
  });
  EXPECT_GT(forgotten, 3u);
}

// A reader finds no key in a filter partition that is stored with no bytes.
TEST(VerdictCases, AFilterPartitionOfNoBytes) {
  std::string table = TableOfPartitions(true);
  ExpectSound(table);
  const BlockInfo block =
      FindBlock(BlocksOf(table), BlockKind::kFilterPartition, 1);
  ForEachPartition(table, [&](size_t i, size_t, size_t value) {
    if (i != 1) return;
    // Bytes of a varint but the last one have the highest bit set. Whether a
    // char can be negative depends on the machine.
    const auto goes_on = [&table](size_t at) {
      return (table[at] & 0x80) != 0;
    };
    while (goes_on(value++)) {
    }  // skips the offset
    // Stores size 0, in the same number of bytes.
    for (bool more = true; more; ++value) {
      more = goes_on(value);
      table[value] = more ? '\x80' : '\0';
    }
  });
  table[block.offset] = '\0';  // type byte of its trailer: not compressed
  fuzz::SignTable(&table);
  ExpectFault(table, "filter does not match a key in data block #");
}

}  // namespace
}  // namespace ashlar::testing
