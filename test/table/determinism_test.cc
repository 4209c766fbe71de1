// Equal entries, options and identity give equal bytes. Any difference in them
// gives other bytes.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <set>
#include <string>

#include "test/support/random_table.h"
#include "test/support/reference_reader.h"
#include "test/support/tables.h"
#include "util/coding/coding.h"

namespace ashlar::testing {
namespace {

TEST(Determinism, EqualInputGivesEqualBytes) {
  ForEachSeed(1000, 60, [](uint64_t seed) {
    Random random(seed);
    const RandomTable table = MakeRandomTable(&random);
    const std::string first =
        BuildTable(table.options, table.model.entries(), FixedBuild("a"));
    EXPECT_EQ(BuildTable(table.options, table.model.entries(), FixedBuild("a")),
              first);
    EXPECT_NE(BuildTable(table.options, table.model.entries(), FixedBuild("b")),
              first);
  });
}

// Data blocks depend neither on what the codec compressed before nor on where
// the entries were in memory.
TEST(Determinism, DataBlocksDependOnTheirEntriesOnly) {
  TableOptions options;
  options.block_size = 400;
  const std::string longer = BuildTable(options, SomeEntries(300));
  const std::string shorter = BuildTable(options, SomeEntries(200));
  const auto more = ReadReferenceTable(longer).index;
  const auto fewer = ReadReferenceTable(shorter).index;
  ASSERT_GT(fewer.size(), 5u);
  for (size_t i = 0; i + 1 < fewer.size(); ++i) {
    const auto& [offset, size] = fewer[i].second;
    ASSERT_EQ(more[i].second, fewer[i].second);
    EXPECT_EQ(longer.substr(offset, size + 5),
              shorter.substr(offset, size + 5));
  }
}

TEST(Determinism, EachPartOfTheIdentityCounts) {
  const auto build = [](const TableIdentity& identity) {
    return BuildTable({}, SomeEntries(3), {.identity = identity});
  };
  const TableIdentity base = FixedBuild().identity;
  std::set<std::string> files = {build(base)};
  const std::vector<void (*)(TableIdentity*)> changes = {
      [](TableIdentity* i) { i->db_id = "another"; },
      [](TableIdentity* i) { i->db_session_id = "ABCDEFGHIJKLMNOPQRST"; },
      [](TableIdentity* i) { i->db_host_id = "host"; },
      [](TableIdentity* i) { i->file_number = 2; },
      [](TableIdentity* i) { i->creation_time = 5; },
      [](TableIdentity* i) { i->file_creation_time = 5; },
      [](TableIdentity* i) { i->oldest_key_time = 5; },
      [](TableIdentity* i) { i->newest_key_time = 5; },
      [](TableIdentity* i) { i->base_context_checksum = 5; },
  };
  for (const auto& change : changes) {
    TableIdentity changed = base;
    change(&changed);
    files.insert(build(changed));
  }
  EXPECT_EQ(files.size(), 10u);
}

TEST(Determinism, DefaultIdentitiesDiffer) {
  std::set<std::string> sessions;
  std::set<std::string> files;
  for (int i = 0; i < 20; ++i) {
    const std::string file = BuildTable({}, SomeEntries(3), {});
    files.insert(file);
    auto properties = ReadReferenceTable(file).properties;
    const std::string session = properties["rocksdb.creating.session.identity"];
    EXPECT_EQ(session.size(), 20u);
    sessions.insert(session);
    EXPECT_EQ(properties["rocksdb.creating.db.identity"], "Ashlar");
    EXPECT_EQ(properties["rocksdb.original.file.number"], "\1");
    EXPECT_FALSE(properties.contains("rocksdb.creating.host.identity"));
    EXPECT_TRUE(properties.contains("rocksdb.file.creation.time"));
  }
  EXPECT_EQ(sessions.size(), 20u);
  EXPECT_EQ(files.size(), 20u);
}

TEST(Determinism, WhatTheCallerGivesIsStored) {
  BuildOptions build = FixedBuild();
  build.identity.db_id = "db";
  build.identity.db_host_id = "host";
  build.identity.file_number = 300;
  build.identity.creation_time = 0;
  build.column_family_id = 3;
  build.column_family_name = "family";
  build.merge_operator_name = "Adder";
  build.user_properties = {{"user", std::string("\0\xff", 2)}, {"zz", ""}};
  const std::string file = BuildTable({}, SomeEntries(2), build);
  auto properties = ReadReferenceTable(file).properties;
  EXPECT_EQ(properties["rocksdb.creating.db.identity"], "db");
  EXPECT_EQ(properties["rocksdb.creating.host.identity"], "host");
  EXPECT_EQ(properties["rocksdb.original.file.number"], "\xac\2");
  EXPECT_EQ(properties["rocksdb.creation.time"], std::string(1, '\0'));
  EXPECT_EQ(properties["rocksdb.column.family.id"], "\3");
  EXPECT_EQ(properties["rocksdb.column.family.name"], "family");
  EXPECT_EQ(properties["rocksdb.merge.operator"], "Adder");
  EXPECT_EQ(properties["user"], std::string("\0\xff", 2));
  EXPECT_TRUE(properties.contains("zz"));
  const auto reader = OpenTable(file);
  EXPECT_EQ(reader->properties().user_collected_properties,
            build.user_properties);
  EXPECT_EQ(reader->properties().stored.ToMap(), properties);
}

TEST(Determinism, IdsOfTheVectors) {
  EXPECT_EQ(UniqueIdText("db-id-1", "0123456789ABCDEFGHIJ", 7),
            "D7F25FAAB5CD270A-9F6D545203AAAE91-F0B4286D7B72F995");
  // Lower case gives the same id.
  EXPECT_EQ(UniqueIdText("db-id-1", "0123456789abcdefghij", 7),
            "D7F25FAAB5CD270A-9F6D545203AAAE91-F0B4286D7B72F995");
  EXPECT_EQ(EncodeSessionId(0x22510b8b, 0xcf158a0963e2f3ab),
            "0123456789ABCDEFGHIJ");
  const CacheKey key = FileCacheKey("db-id-1", "0123456789ABCDEFGHIJ", 7);
  EXPECT_EQ(key.file, 0x591da9996541df4c);
  EXPECT_EQ(key.block, 0x2e1e7362e25de94b);
  EXPECT_EQ(key.AtOffset(7).file, key.file);
  EXPECT_EQ(key.AtOffset(7).block, 0x2e1e7362e25de94a);
  EXPECT_EQ(FileCacheKey("db-id-1", "0123456789abcdefghij", 7), key);
  EXPECT_EQ(UniqueIdText("db", "", 7), "");
  EXPECT_EQ(UniqueIdText("db", "0123456789ABCDEFGHIJ", 0), "");
  // A session id of another form is hashed, so ids are still unique.
  EXPECT_NE(UniqueIdText("db", "session", 7), UniqueIdText("db", "session", 8));
  EXPECT_NE(UniqueIdText("db", "session", 7), UniqueIdText("db", "sessiom", 7));
}

// Files of one session differ only in their file numbers. Their keys are
// certain to differ, not only likely: for any numbers, the first words of the
// keys differ.
TEST(FileCacheKey, FilesOfOneSessionNeverShareAKey) {
  ForEachSeed(1, 20, [](uint64_t seed) {
    Random random(seed);
    const std::string session = EncodeSessionId(seed, random.Next() | 1);
    std::set<uint64_t> numbers = {1, 2, 3, 1000, UINT64_MAX - 1, UINT64_MAX};
    for (int bit = 0; bit < 64; ++bit) numbers.insert(uint64_t{1} << bit);
    while (numbers.size() < 500) numbers.insert(random.Next());
    std::set<uint64_t> files;
    std::set<uint64_t> blocks;
    for (const uint64_t number : numbers) {
      const CacheKey key = FileCacheKey("db", session, number);
      files.insert(key.file);
      blocks.insert(key.block);
    }
    EXPECT_EQ(files.size(), numbers.size());
    EXPECT_EQ(blocks.size(), 1U);
  });
}

// RocksDB counts up the sessions of a process, and applications number their
// databases. Identities then differ in few bits, but cache keys must differ in
// about half of their bits.
TEST(FileCacheKey, SessionsAndDatabasesThatAreNeighboursShareNoBits) {
  const auto distance = [](const CacheKey& a, const CacheKey& b) {
    return std::array{std::popcount(a.file ^ b.file),
                      std::popcount(a.block ^ b.block)};
  };
  std::set<uint64_t> files;
  std::set<uint64_t> upper_bits_of_blocks;
  constexpr uint64_t kSessions = 20000;
  CacheKey before = FileCacheKey("db", EncodeSessionId(5, 1), 7);
  std::array<int, 2> bits{};
  for (uint64_t i = 0; i < kSessions; ++i) {
    const bool next_database = i % 2 == 1;
    const CacheKey key =
        FileCacheKey(next_database ? "db" + std::to_string(i) : "db",
                     EncodeSessionId(5, 2 + i), 7);
    const auto differ = distance(before, key);
    for (size_t word = 0; word < bits.size(); ++word)
      bits[word] += differ[word];
    files.insert(key.file);
    // No file offset below 2^40 changes these 26 bits. Among 20,000 random
    // values of 26 bits about 3 pairs are equal.
    upper_bits_of_blocks.insert(key.block >> 38);
    before = key;
  }
  EXPECT_EQ(files.size(), kSessions);
  EXPECT_GT(upper_bits_of_blocks.size(), kSessions - 20);
  for (const int sum : bits) {
    EXPECT_NEAR(static_cast<double>(sum) / kSessions, 32, 0.2);
  }
}

// Each part of an identity changes the key, and so does a session id of another
// form. Both words of the key change, except for the file number: that changes
// the first word only, since offsets change the second one.
TEST(FileCacheKey, EveryPartOfAnIdentityCounts) {
  const CacheKey key = FileCacheKey("db", "0123456789ABCDEFGHIJ", 7);
  EXPECT_NE(FileCacheKey("db", "0123456789ABCDEFGHIJ", 8).file, key.file);
  const CacheKey others[] = {FileCacheKey("dc", "0123456789ABCDEFGHIJ", 7),
                             FileCacheKey("db", "1123456789ABCDEFGHIJ", 7),
                             FileCacheKey("db", "0123456789ABCDEFGHIK", 7),
                             FileCacheKey("db", "session", 7),
                             FileCacheKey("db", "sessiom", 7),
                             key};
  std::set<uint64_t> files;
  std::set<uint64_t> blocks;
  for (const CacheKey& other : others) {
    files.insert(other.file);
    blocks.insert(other.block);
  }
  EXPECT_EQ(files.size(), std::size(others));
  EXPECT_EQ(blocks.size(), std::size(others));
}

}  // namespace
}  // namespace ashlar::testing
