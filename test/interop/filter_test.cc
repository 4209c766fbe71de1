// Compares filters with RocksDB's own filter policies, without files: the
// payloads must be equal byte for byte, and both readers must give the same
// answer to every key.

#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>
#include <vector>

#include "table/block_based/filter_policy_internal.h"
#include "table/filter/filter_bits.h"

namespace ashlar::interop {
namespace {

using internal::Buffer;
using internal::FilterBitsBuilder;
using internal::FilterBitsReader;
using internal::HashForFilter;

constexpr double kBits[] = {1, 1.7, 3, 5, 9.9, 10, 16, 23.7, 60, 100};

// RocksDB's builders and readers of one kind of filter.
class Theirs {
 public:
  Theirs(FilterType type, double bits, uint32_t format_version) {
    options_.format_version = format_version;
    options_.optimize_filters_for_memory = false;
    options_.filter_policy.reset(type == FilterType::kRibbon
                                     ? rocksdb::NewRibbonFilterPolicy(bits, -1)
                                     : rocksdb::NewBloomFilterPolicy(bits));
    const rocksdb::FilterBuildingContext context(options_);
    builder_.reset(options_.filter_policy->GetBuilderWithContext(context));
  }
  std::string Build(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) builder_->AddKey(key);
    std::unique_ptr<const char[]> memory;
    return builder_->Finish(&memory).ToString();
  }
  size_t HashesIn(size_t bytes) {
    return builder_->ApproximateNumEntries(bytes);
  }
  std::unique_ptr<rocksdb::FilterBitsReader> Reader(
      const std::string& payload) const {
    return std::unique_ptr<rocksdb::FilterBitsReader>(
        static_cast<const rocksdb::BuiltinFilterPolicy*>(
            options_.filter_policy.get())
            ->GetFilterBitsReader(payload));
  }

 private:
  rocksdb::BlockBasedTableOptions options_;
  std::unique_ptr<rocksdb::FilterBitsBuilder> builder_;
};

std::string BuildOurs(FilterType type, double bits,
                      const std::vector<std::string>& keys) {
  FilterBitsBuilder builder(type, bits);
  for (const std::string& key : keys) builder.Add(HashForFilter(key));
  Buffer payload;
  EXPECT_TRUE(builder.Finish(&payload).ok());
  return payload.slice().ToString();
}

std::vector<std::string> Keys(size_t n, size_t salt) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < n; ++i) {
    keys.push_back("key" + std::to_string(i * (salt * 1000003 + 1) + salt));
  }
  return keys;
}

// Looks up all keys, and three absent keys for each, some with bytes above
// 0x7f.
void ExpectSameAnswers(const Theirs& theirs, const std::string& payload,
                       const std::vector<std::string>& keys) {
  const FilterBitsReader ours{Slice(payload)};
  const auto their_reader = theirs.Reader(payload);
  for (const std::string& key : keys) {
    ASSERT_TRUE(ours.MayMatchBytes(key)) << key;
    ASSERT_TRUE(their_reader->MayMatch(key)) << key;
    for (const std::string& absent : {"\xe9" + key, key + "\xff", key + "x"}) {
      ASSERT_EQ(ours.MayMatchBytes(absent), their_reader->MayMatch(absent))
          << absent;
    }
  }
}

void ExpectSame(FilterType type) {
  for (const double bits : kBits) {
    for (const size_t n : {1, 2, 3, 10, 50, 100, 200, 300, 500, 700, 800, 900,
                           1000, 1500, 5000, 20000}) {
      for (size_t salt = 0; salt < (n < 2000 ? 4 : 1); ++salt) {
        SCOPED_TRACE(std::to_string(bits) + " bits, " + std::to_string(n) +
                     " keys, salt " + std::to_string(salt));
        const std::vector<std::string> keys = Keys(n, salt);
        Theirs theirs(type, bits, 6);
        const std::string payload = BuildOurs(type, bits, keys);
        ASSERT_TRUE(payload == theirs.Build(keys));
        ExpectSameAnswers(theirs, payload, keys);
      }
    }
  }
}

TEST(RocksDbFilters, BloomIsTheSame) { ExpectSame(FilterType::kBloom); }
TEST(RocksDbFilters, RibbonIsTheSame) { ExpectSame(FilterType::kRibbon); }

TEST(RocksDbFilters, LegacyBloomIsRead) {
  for (const double bits : kBits) {
    for (const size_t n : {1, 2, 10, 100, 1000, 10000}) {
      const std::vector<std::string> keys = Keys(n, 5);
      Theirs theirs(FilterType::kBloom, bits, 4);
      const std::string payload = theirs.Build(keys);
      ASSERT_EQ(FilterBitsReader(Slice(payload)).kind(),
                FilterBitsReader::Kind::kLegacyBloom);
      ExpectSameAnswers(theirs, payload, keys);
    }
  }
}

// Invalid payloads: both readers must treat every value of the first two
// metadata bytes alike.
TEST(RocksDbFilters, StrangePayloadsAreReadAlike) {
  const Theirs theirs(FilterType::kBloom, 10, 6);
  const std::vector<std::string> keys = Keys(200, 9);
  for (const size_t bytes : {0, 64, 128, 192, 320}) {
    for (int first = 0; first < 256; ++first) {
      for (const std::string& rest :
           {std::string("\0\6\0\0", 4), std::string("\1\0\0\0", 4),
            std::string("\2\0\0\0", 4), std::string("\5\3\0\0", 4)}) {
        const std::string payload =
            std::string(bytes, '\x5a') + static_cast<char>(first) + rest;
        const FilterBitsReader ours{Slice(payload)};
        const auto their_reader = theirs.Reader(payload);
        for (const std::string& key : keys) {
          ASSERT_EQ(ours.MayMatchBytes(key), their_reader->MayMatch(key))
              << bytes << " bytes, marker " << first;
        }
      }
    }
  }
}

// The number of hashes that fit decides where filter partitions are cut.
TEST(RocksDbFilters, AsManyHashesFit) {
  for (const FilterType type : {FilterType::kBloom, FilterType::kRibbon}) {
    for (const double bits : {3., 5., 10., 16., 23.7, 60.}) {
      Theirs theirs(type, bits, 6);
      const FilterBitsBuilder ours(type, bits);
      for (size_t bytes = 0; bytes < 20000; bytes += 37) {
        ASSERT_EQ(ours.HashesIn(bytes), theirs.HashesIn(bytes))
            << bits << " bits, " << bytes << " bytes";
      }
    }
  }
}

}  // namespace
}  // namespace ashlar::interop
