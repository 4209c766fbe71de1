// Tests the quick proof that a block is sound. It succeeds exactly where a walk
// that checks each entry reaches the end and all keys are short.

#include "table/block/prove_entries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "table/block/block_iterator.h"
#include "test/support/built_block.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using namespace internal;

constexpr BlockPlace kPlace{BlockKind::kData, {}};

// A list of keys. One object serves for many blocks, and does not allocate for
// each key.
struct Keys {
  void Clear() {
    bytes.clear();
    ends.clear();
  }
  void Add(const Slice& key) {
    bytes.append(key.data(), key.size());
    ends.push_back(bytes.size());
  }
  size_t size() const { return ends.size(); }
  Slice operator[](size_t i) const {
    const size_t begin = i == 0 ? 0 : ends[i - 1];
    return {bytes.data() + begin, ends[i] - begin};
  }
  Slice back() const { return (*this)[size() - 1]; }
  friend bool operator==(const Keys&, const Keys&) = default;

  std::string bytes;
  std::vector<size_t> ends;
};

// Returns whether the block is proven, and then sets *found to its keys.
bool FindProvenKeys(const BlockView& view, const KeyOrder& order, Keys* found,
                    size_t most = ShortKeys::kMost) {
  ShortKeys keys;
  EntryProof proof(view, order, &keys);
  found->Clear();
  bool right = true;
  while (proof.Next(most)) {
    const size_t n = keys.size();
    right &= n <= most;
    for (size_t i = 0; i < n; ++i) found->Add(keys[i]);
    right &= keys.back() == found->back();
  }
  EXPECT_TRUE(right);
  return proof.proven();
}

// Takes the first keys with `calls_of_next` calls of Next, and passes over the
// rest. Returns the number of entries and the last key, or nothing if the block
// is not proven.
std::optional<std::pair<uint64_t, std::string>> Passed(const BlockView& view,
                                                       const KeyOrder& order,
                                                       int calls_of_next) {
  static ShortKeys keys;  // may have keys of another block
  EntryProof proof(view, order, &keys);
  uint64_t n = 0;
  for (int i = 0; i < calls_of_next && proof.Next(); ++i) n += keys.size();
  if (!proof.proven() || !proof.PassRest(&n)) return std::nullopt;
  EXPECT_FALSE(proof.Next());
  EXPECT_TRUE(proof.proven());
  return std::pair(n, n == 0 ? std::string() : keys.back().ToString());
}

// Returns whether any bytes are a valid value of the type.
bool HasPlainValue(ValueType type) {
  return type != ValueType::kTypeWideColumnEntity &&
         type != ValueType::kTypeValuePreferredSeqno;
}

// Finds the same keys by a walk that checks each entry. Also checks that each
// restart point is the offset of an entry that shares no bytes.
bool FindWalkedKeys(const BlockView& view, const KeyOrder& order, Keys* found) {
  BlockIterator it(order);
  it.Reset(view, kPlace);
  found->Clear();
  uint32_t restarts = 0;
  bool plain = true;
  bool decodes = true;
  for (bool on = it.SeekToFirst(); on; on = it.Next()) {
    found->Add(it.key());
    plain &= HasPlainValue(TypeOf(it.key()));
    EntryHeader header;
    const char* const p = view.entries + it.offset();
    decodes &= DecodeEntryNumbers(p, view.limit(), &header) != nullptr;
    if (restarts < view.num_restarts && header.shared == 0 &&
        view.RestartOffset(restarts) == it.offset()) {
      ++restarts;
    }
  }
  EXPECT_TRUE(decodes);
  const bool all_restarts = found->size() == 0 || restarts == view.num_restarts;
  return it.status().ok() && plain && all_restarts;
}

bool AllShort(const Keys& keys) {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].size() > ShortKeys::kLongest) return false;
  }
  return true;
}

DataBlockForm RandomForm(Random* random) {
  constexpr int kIntervals[] = {1, 2, 3, 16, 1000};
  return {random->Pick(kIntervals), false, random->OneIn(2) ? 0.75 : 0};
}

// Returns entries with keys that share some bytes, with versions of one key,
// and with values whose sizes take one or two bytes.
std::vector<Entry> ShortEntries(const Comparator* comparator, Random* random) {
  std::vector<Entry> entries;
  for (uint64_t n = random->Below(60); n > 0; --n) {
    std::string key(random->Below(16), 'k');
    for (char& c : key) c = static_cast<char>('a' + random->Below(3));
    key.append(comparator->timestamp_size(), static_cast<char>(n % 3));
    entries.push_back(
        Value(key, random->Below(4), std::string(random->Below(200), 'v')));
  }
  return Model(comparator, std::move(entries)).entries();
}

const Comparator* AnyComparator(Random* random) {
  const Comparator* const comparators[] = {
      BytewiseComparator(), ReverseBytewiseComparator(),
      BytewiseComparatorWithU64Ts(), ReverseBytewiseComparatorWithU64Ts(),
      ShorterFirstComparator()};
  return random->Pick(comparators);
}

TEST(EntryProof, SoundBlocksOfShortKeysAreProven) {
  ForEachSeed(31000, 500, [](uint64_t seed) {
    Random random(seed);
    const Comparator* const comparator = AnyComparator(&random);
    const std::vector<Entry> entries = ShortEntries(comparator, &random);
    const std::string bytes =
        BuildDataBlock(entries, RandomForm(&random)).bytes;
    BlockView view;
    Require(ParseBlock(bytes, kPlace, &view));
    Keys proven;
    // Blocks with separated values are never proven.
    ASSERT_EQ(FindProvenKeys(view, KeyOrder(comparator), &proven),
              !view.separated);
    if (view.separated) return;
    ASSERT_EQ(proven.size(), entries.size());
    for (size_t i = 0; i < entries.size(); ++i) {
      ASSERT_EQ(Hex(proven[i].ToStringView()), Hex(entries[i].key)) << i;
    }
  });
}

// Expects that a block is proven exactly if a walk finds it sound. Returns
// whether it is sound, or nothing if the block cannot be checked.
std::optional<bool> ProvenAsWalked(const std::string& bytes,
                                   const KeyOrder& order) {
  BlockView view;
  if (!ParseBlock(bytes, kPlace, &view).ok() || view.separated) {
    return std::nullopt;
  }
  static Keys walked;
  static Keys proven;
  static Keys again;
  const bool sound = FindWalkedKeys(view, order, &walked) && AllShort(walked);
  EXPECT_EQ(FindProvenKeys(view, order, &proven), sound);
  EXPECT_EQ(FindProvenKeys(view, order, &again, 3), sound);
  for (const int calls : {0, 1, 2}) {
    const auto passed = Passed(view, order, calls);
    EXPECT_EQ(passed.has_value(), sound) << calls;
    if (!sound || !passed) continue;
    EXPECT_EQ(passed->first, walked.size());
    EXPECT_EQ(passed->second,
              walked.size() == 0 ? "" : walked.back().ToString());
  }
  if (sound) {
    EXPECT_TRUE(proven == walked);
    EXPECT_TRUE(again == walked);
  }
  return sound;
}

// Returns two blocks of entries. The first has several versions of keys of
// several sizes. In the second, each key shares the same number of bytes with
// the key before it, and values change their size once.
std::vector<std::vector<Entry>> SmallBlocks(const Comparator* comparator) {
  const std::string timestamp(comparator->timestamp_size(), '\1');
  std::vector<Entry> versions;
  for (const char* key : {"", "a", "ab"}) {
    // The value type rises from this entry to the next.
    versions.push_back(Deletion(key + timestamp, 9));
    versions.push_back(Value(key + timestamp, 7, "val"));
    versions.push_back(Value(key + timestamp, 5, "v"));
  }
  std::vector<Entry> alike;
  for (const char* key : {"ka", "kb", "kc", "ke", "kf", "kg", "kh"}) {
    alike.push_back(Value(key + timestamp, 7, key[1] < 'f' ? "val" : "v"));
  }
  return {Model(comparator, std::move(versions)).entries(),
          Model(comparator, std::move(alike)).entries()};
}

TEST(EntryProof, AByteOfASmallBlockMayBeAnything) {
  for (const Comparator* const comparator :
       {BytewiseComparator(), ReverseBytewiseComparatorWithU64Ts()}) {
    const KeyOrder order(comparator);
    for (const std::vector<Entry>& entries : SmallBlocks(comparator)) {
      for (const int interval : {1, 16}) {
        std::string bytes = BuildDataBlock(entries, {interval, false, 0}).bytes;
        ASSERT_EQ(ProvenAsWalked(bytes, order), true);
        for (size_t i = 0; i < bytes.size(); ++i) {
          const char before = bytes[i];
          for (int value = 0; value < 256; ++value) {
            bytes[i] = static_cast<char>(value);
            ProvenAsWalked(bytes, order);
            ASSERT_FALSE(HasFailure()) << value << " at " << i;
          }
          bytes[i] = before;
        }
      }
    }
  }
}

// A header that no entry has is not taken for a repetition of the previous
// header.
TEST(EntryProof, HeaderOfAllOnes) {
  // The key "a" with its tail, the header, and one restart point.
  constexpr char kBytes[] =
      "\0\x09\0a\1\0\0\0\0\0\0\0\xff\xff\xff"
      "\0\0\0\0\1\0\0\0";
  const std::string bytes(kBytes, sizeof kBytes - 1);
  for (const Comparator* const comparator :
       {BytewiseComparator(), ReverseBytewiseComparator()}) {
    EXPECT_EQ(ProvenAsWalked(bytes, KeyOrder(comparator)), false);
  }
}

TEST(EntryProof, SomeBytesMayBeAnything) {
  int sound = 0;
  int damaged = 0;
  ForEachSeed(32000, 2500, [&](uint64_t seed) {
    Random random(seed);
    const Comparator* const comparator = AnyComparator(&random);
    std::string bytes =
        BuildDataBlock(ShortEntries(comparator, &random), RandomForm(&random))
            .bytes;
    for (uint64_t n = random.Between(1, 3); n > 0; --n) {
      bytes[random.Below(bytes.size())] =
          static_cast<char>(random.OneIn(2) ? random.Below(4) : random.Next());
    }
    const std::optional<bool> found =
        ProvenAsWalked(bytes, KeyOrder(comparator));
    ASSERT_FALSE(HasFailure());
    sound += found == true ? 1 : 0;
    damaged += found == false ? 1 : 0;
  });
  if (::testing::Test::HasFailure()) return;
  EXPECT_GT(sound, 300);
  EXPECT_GT(damaged, 100);
}

TEST(EntryProof, LongKeysAreLeftToOthers) {
  const size_t most = ShortKeys::kLongest - kInternalKeyTailBytes;
  for (const size_t size : {most - 1, most, most + 1, size_t{1000}}) {
    const std::vector<Entry> entries = {Value("a", 7, "v"),
                                        Value(std::string(size, 'k'), 7, "v")};
    const std::string bytes = BuildDataBlock(entries, {16, false, 0}).bytes;
    BlockView view;
    Require(ParseBlock(bytes, kPlace, &view));
    Keys proven;
    EXPECT_EQ(FindProvenKeys(view, KeyOrder(BytewiseComparator()), &proven),
              size <= most)
        << size;
  }
}

}  // namespace
}  // namespace ashlar::testing
