// Tests the packed form of an index: it must answer as a sorted vector of its
// separators does, which is searched by std::lower_bound with the comparator.
//
// Index blocks, keys and everything that is asked are in heap buffers of the
// exact size, so that AddressSanitizer sees each load beyond their ends.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "table/index/index_encoder.h"
#include "table/index/index_entries.h"
#include "table/index/parsed_index.h"
#include "test/support/random.h"
#include "test/support/tables.h"
#include "test/support/thorough.h"
#include "util/coding/coding.h"

namespace ashlar::testing {
namespace {

using namespace internal;

constexpr uint64_t kFileLimit = uint64_t{1} << 50;

// Bytes in a buffer of the exact size.
class Exact {
 public:
  explicit Exact(const Slice& bytes)
      : bytes_(new char[bytes.size()]), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), bytes_.get());
  }
  Slice slice() const { return Slice(bytes_.get(), size_); }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t size_;
};

// Orders keys by their last byte, then by all: no order of bytes.
class ByLastByte final : public Comparator {
 public:
  std::string_view Name() const override { return "test.ByLastByte"; }
  int Compare(const Slice& a, const Slice& b) const override {
    const int last_a = a.empty() ? -1 : static_cast<uint8_t>(*(a.end() - 1));
    const int last_b = b.empty() ? -1 : static_cast<uint8_t>(*(b.end() - 1));
    return last_a != last_b ? last_a - last_b : a.compare(b);
  }
};

enum class Keys : uint8_t {
  kText,        // few letters, many shared beginnings
  kNumbers,     // 8 bytes, big-endian
  kIds,         // 4-byte id, 8-byte id, 8-byte time
  kTenants,     // groups
  kUrls,        // small groups
  kNested,      // groups within groups
  kZeros,       // zeros at the ends, also longer than a word
  kLongShared,  // a long prefix, and little after it
  kTies,        // many keys with one word
  kAny,         // any bytes, also none
};
constexpr std::array kAllKeys = {
    Keys::kText, Keys::kNumbers, Keys::kIds,   Keys::kTenants,
    Keys::kUrls, Keys::kNested,  Keys::kZeros, Keys::kLongShared,
    Keys::kTies, Keys::kAny};

std::string Padded(uint64_t number, size_t width) {
  std::string text = std::to_string(number);
  return text.size() < width ? std::string(width - text.size(), '0') + text
                             : text;
}

std::string BigEndian(uint64_t number, size_t bytes) {
  std::string text(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) {
    text[i] = static_cast<char>(number >> 8 * (bytes - 1 - i));
  }
  return text;
}

std::string UserKey(Keys kind, size_t count, Random* random) {
  const uint64_t few = 1 + count / 20;
  switch (kind) {
    case Keys::kText:
      return random->Text(random->Below(16));
    case Keys::kNumbers:
      return BigEndian(random->Below(count * 1000 + 1), 8);
    case Keys::kIds:
      return BigEndian(random->Below(3), 4) + BigEndian(random->Below(few), 8) +
             BigEndian(random->Next(), 8);
    case Keys::kTenants:
      return "tenant" + Padded(random->Below(few), 3) + ":user" +
             Padded(random->Below(1000000), 12);
    case Keys::kUrls:
      return "https://host" + Padded(random->Below(1 + count / 9), 3) +
             ".example.com/path/" +
             std::to_string(random->Below(uint64_t{1} << 40));
    case Keys::kNested:
      return "db" + Padded(random->Below(1 + count / 400), 2) + ":longtable" +
             Padded(random->Below(3), 12) + ":column" +
             Padded(random->Below(5), 9) + ":" +
             Padded(random->Below(100000), 1 + random->Below(9));
    case Keys::kZeros:
      return random->Text(random->Below(3)) +
             std::string(random->Below(20), '\0') +
             (random->OneIn(3) ? random->Text(1) : std::string());
    case Keys::kLongShared:
      return std::string(200, 'p') + random->Text(random->Below(9));
    case Keys::kTies:
      return "12345678" + std::string(random->Below(2), '\xff') +
             (random->OneIn(2) ? "abcdefgh" : "\xff\xff\xff\xff\xff\xff\xff") +
             random->Bytes(random->Below(3));
    case Keys::kAny:
      break;
  }
  std::string key = random->Bytes(random->Below(12));
  if (random->OneIn(3)) key.insert(0, 9, '\xff');
  return key;
}

// One index, as a model and as a block.
struct Sample {
  Sample() : order(BytewiseComparator()) {}

  KeyOrder order;
  IndexForm form;
  // In order, with their timestamps.
  std::vector<std::string> separators;
  std::vector<std::string> first_keys;
  std::vector<BlockHandle> handles;
  int interval = 1;

  IndexChecks Checks() const {
    return {.order = order, .form = form, .file_limit = kFileLimit};
  }
  bool Less(const Slice& a, const Slice& b) const {
    return Checks().Compare(a, b) < 0;
  }
  std::string AsInternal(const Slice& separator) const {
    return form.user_keys ? MakeInternalKey(separator, 0, ValueType{0})
                          : separator.ToString();
  }
  Slice UserKeyOfSeparator(size_t i) const {
    return form.user_keys ? Slice(separators[i]) : UserKeyOf(separators[i]);
  }
  std::string Stored(const std::string& separator) const {
    const size_t tail = form.user_keys ? 0 : kInternalKeyTailBytes;
    std::string stored = separator;
    stored.erase(stored.size() - tail - form.keys.stripped_timestamp,
                 form.keys.stripped_timestamp);
    return stored;
  }
  std::string Encode() const {
    IndexEncoder encoder(form, interval);
    for (size_t i = 0; i < separators.size(); ++i) {
      encoder.Add(Stored(separators[i]), handles[i],
                  form.first_keys ? Slice(first_keys[i]) : Slice());
    }
    bool uniform;
    return encoder.Finish(-1, &uniform).ToString();
  }
};

KeyOrder AnyOrder(Random* random) {
  static const ByLastByte by_last_byte;
  switch (random->Below(8)) {
    case 0:
      return KeyOrder(&by_last_byte);
    case 1:
      return KeyOrder(BytewiseComparatorWithU64Ts());
    case 2:
    case 3:
    case 4:
      return KeyOrder(ReverseBytewiseComparator());
    default:
      return KeyOrder(BytewiseComparator());
  }
}

void AddHandles(Random* random, Sample* sample) {
  // Blocks behind each other; with gaps; or so large that eight of them cannot
  // be packed.
  const uint64_t gaps = random->OneIn(4) ? random->Pick({2, 8, 100}) : 0;
  const bool large = random->OneIn(8);
  uint64_t offset = random->OneIn(2) ? 0 : random->Below(kFileLimit / 2);
  for (size_t i = 0; i < sample->separators.size(); ++i) {
    if (gaps != 0 && random->OneIn(gaps)) offset += random->Below(5000);
    uint64_t size = random->Below(9000);
    if (large && random->OneIn(20)) size += uint64_t{1} << 24;
    sample->handles.push_back({offset, size});
    offset = sample->handles.back().End();
  }
}

// First keys are between the separators on both sides.
void AddFirstKeys(Sample* sample) {
  for (size_t i = 0; i < sample->separators.size(); ++i) {
    const Slice user_key = sample->UserKeyOfSeparator(i);
    const uint64_t tail =
        sample->form.user_keys ? 7 : TailOf(sample->separators[i]);
    std::string key = user_key.ToString();
    char bytes[sizeof tail];
    StoreFixed64(bytes, tail);
    sample->first_keys.push_back(key.append(bytes, sizeof tail));
  }
}

Sample MakeSample(Keys kind, size_t count, Random* random) {
  Sample sample;
  sample.order = AnyOrder(random);
  sample.form.user_keys = random->OneIn(2);
  sample.form.delta_handles = random->OneIn(2);
  const size_t timestamp = sample.order.timestamp_size();
  if (timestamp != 0 && random->OneIn(2)) {
    sample.form.keys.stripped_timestamp = timestamp;
  }
  const bool one_tail = random->OneIn(2);
  while (sample.separators.size() < count) {
    std::string key = UserKey(kind, count, random);
    key += sample.form.keys.stripped_timestamp != 0
               ? std::string(timestamp, '\0')
               : random->Bytes(timestamp);
    if (sample.form.user_keys) {
      sample.separators.push_back(key);
      continue;
    }
    // Some keys have a row of versions.
    const uint64_t versions = random->OneIn(30) ? random->Below(20) : 0;
    for (uint64_t v = 0; v <= versions; ++v) {
      const SequenceNumber sequence =
          one_tail && v == 0 ? kMaxSequenceNumber : random->Below(1000);
      sample.separators.push_back(
          MakeInternalKey(key, sequence, ValueType::kTypeValue));
    }
  }
  const auto less = [&](const std::string& a, const std::string& b) {
    return sample.Less(a, b);
  };
  auto& all = sample.separators;
  std::sort(all.begin(), all.end(), less);
  all.erase(std::unique(all.begin(), all.end(),
                        [&](const std::string& a, const std::string& b) {
                          return !less(a, b);
                        }),
            all.end());
  sample.interval = static_cast<int>(random->Pick({1, 1, 2, 16}));
  AddHandles(random, &sample);
  sample.form.first_keys =
      sample.form.keys.stripped_timestamp == 0 && random->OneIn(5);
  if (sample.form.first_keys) AddFirstKeys(&sample);
  return sample;
}

// A key to look for, near a separator or anywhere.
std::string Target(const Sample& sample, Keys kind, Random* random) {
  const size_t n = sample.separators.size();
  const size_t timestamp = sample.order.timestamp_size();
  std::string key =
      random->OneIn(8) ? UserKey(kind, n, random) + random->Bytes(timestamp)
                       : sample.UserKeyOfSeparator(random->Below(n)).ToString();
  const size_t whole = key.size() - timestamp;
  switch (random->Below(6)) {
    case 0:
      key.erase(random->Below(whole + 1), random->Below(whole + 1));
      key.resize(std::max(key.size(), timestamp));
      break;
    case 1:
      key.insert(whole, random->Bytes(1 + random->Below(10)));
      break;
    case 2:
      key.insert(whole, 1 + random->Below(10), '\0');
      break;
    case 3:
      if (whole != 0) key[random->Below(whole)] += random->OneIn(2) ? 1 : -1;
      break;
    case 4:
      if (whole != 0) {
        key[random->Below(whole)] = static_cast<char>(random->Next());
      }
      break;
    default:
      break;
  }
  return MakeInternalKey(
      key, random->OneIn(3) ? kMaxSequenceNumber : random->Below(1000),
      static_cast<ValueType>(random->Pick({0, 1, 0xff})));
}

size_t Expected(const Sample& sample, const std::string& internal_key) {
  const IndexChecks checks = sample.Checks();
  return static_cast<size_t>(
      std::lower_bound(sample.separators.begin(), sample.separators.end(),
                       internal_key,
                       [&](const std::string& separator, const std::string& k) {
                         return checks.CompareWithKey(separator, k) < 0;
                       }) -
      sample.separators.begin());
}

int SignOf(int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

void CheckEntries(const Sample& sample, const ParsedIndex& index) {
  ASSERT_EQ(index.size(), sample.separators.size());
  for (size_t i = 0; i < index.size(); ++i) {
    std::string memory;
    ASSERT_EQ(Hex(index.separator(i, &memory).ToString()),
              Hex(sample.separators[i]));
    ASSERT_EQ(index.handle(i), sample.handles[i]);
    ASSERT_TRUE(
        index.first_key(i) ==
        (sample.form.first_keys ? Slice(sample.first_keys[i]) : Slice()));
  }
}

void CheckTarget(const Sample& sample, const ParsedIndex& index, size_t near,
                 const std::string& target) {
  const Exact key(target);
  const size_t expected = Expected(sample, target);
  ASSERT_EQ(index.Find(key.slice()), expected) << Hex(target);
  for (const size_t i : {expected, expected - 1, near}) {
    if (i >= index.size()) continue;
    const IndexChecks checks = sample.Checks();
    ASSERT_EQ(SignOf(index.CompareSeparator(i, key.slice())),
              SignOf(checks.CompareWithKey(sample.separators[i], target)))
        << i << " " << Hex(target);
    const size_t timestamp = sample.order.timestamp_size();
    const Exact user_key(
        WithoutTimestamp(UserKeyOf(target), timestamp).ToString());
    ASSERT_EQ(index.SeparatorHasUserKey(i, user_key.slice()),
              WithoutTimestamp(sample.UserKeyOfSeparator(i), timestamp) ==
                  user_key.slice());
  }
}

// Asks for keys with one tail together.
void CheckBatch(const Sample& sample, const ParsedIndex& index, Keys kind,
                Random* random) {
  const uint64_t tail = random->Next();
  const size_t n = 1 + random->Below(ParsedIndex::kBatch);
  std::vector<Exact> keys;
  std::vector<Slice> slices;
  std::vector<size_t> expected;
  for (size_t k = 0; k < n; ++k) {
    std::string target = Target(sample, kind, random);
    std::memcpy(target.data() + target.size() - sizeof tail, &tail,
                sizeof tail);
    expected.push_back(Expected(sample, target));
    keys.emplace_back(UserKeyOf(target));
    slices.push_back(keys.back().slice());
  }
  std::vector<uint32_t> places(n);
  index.FindBatch(slices, tail, places.data());
  for (size_t k = 0; k < n; ++k) {
    ASSERT_EQ(places[k], expected[k]) << Hex(slices[k].ToString());
    const ParsedIndex::Search search = index.BeginFind(slices[k]);
    ASSERT_EQ(index.EndFind(search, slices[k], tail), expected[k]);
  }
}

ParsedIndex ParseSample(const Sample& sample) {
  const Exact block(sample.Encode());
  ParsedIndex index(sample.order, sample.form);
  Require(index.Parse(block.slice(), {}, kFileLimit));
  return index;
}

void CheckSample(const Sample& sample, Keys kind, size_t searches,
                 Random* random) {
  const ParsedIndex index = ParseSample(sample);
  CheckEntries(sample, index);
  for (size_t i = 0; i < searches && !::testing::Test::HasFatalFailure(); ++i) {
    CheckTarget(sample, index, random->Below(index.size()),
                Target(sample, kind, random));
    if (i % 32 == 0) CheckBatch(sample, index, kind, random);
  }
}

// In full: some 10 million searches.
TEST(PackedIndex, AnswersAsASortedVectorDoes) {
  const bool thorough = IsThorough();
  ForEachSeed(1, thorough ? 5000 : 120, [&](uint64_t seed) {
    Random random(seed);
    const Keys kind = kAllKeys[seed % kAllKeys.size()];
    const size_t counts[] = {1, 2, 7, 8, 9, 64, 65, 200, 1000};
    size_t count = random.Pick(counts);
    if (thorough && random.OneIn(8)) count = 1 + random.Below(20000);
    const Sample sample = MakeSample(kind, count, &random);
    CheckSample(sample, kind, thorough ? 2000 : 300, &random);
  });
}

TEST(PackedIndex, HoldsManyBlocks) {
  for (const Keys kind :
       {Keys::kNumbers, Keys::kTenants, Keys::kNested, Keys::kUrls}) {
    Random random(static_cast<uint64_t>(kind));
    const size_t count = IsThorough() ? 100000 : 20000;
    const Sample sample = MakeSample(kind, count, &random);
    CheckSample(sample, kind, IsThorough() ? 100000 : 1000, &random);
  }
}

// Bytes of memory for a block.
double BytesPerBlock(Keys kind, size_t count, bool user_keys) {
  Random random(7);
  Sample sample;
  sample.form.user_keys = user_keys;
  sample.form.delta_handles = true;
  for (size_t i = 0; i < count; ++i) {
    std::string key = UserKey(kind, count, &random);
    if (!user_keys)
      AppendInternalKey(key, kMaxSequenceNumber, ValueType{1},
                        &sample.separators.emplace_back());
    if (user_keys) sample.separators.push_back(std::move(key));
  }
  std::sort(sample.separators.begin(), sample.separators.end());
  sample.separators.erase(
      std::unique(sample.separators.begin(), sample.separators.end()),
      sample.separators.end());
  uint64_t offset = 0;
  for (size_t i = 0; i < sample.separators.size(); ++i) {
    sample.handles.push_back({offset, 4000});
    offset = sample.handles.back().End();
  }
  const ParsedIndex index = ParseSample(sample);
  return static_cast<double>(index.MemoryUsage()) /
         static_cast<double>(index.size());
}

TEST(PackedIndex, IsSmall) {
  EXPECT_LT(BytesPerBlock(Keys::kNumbers, 3000, true), 13.4);
  EXPECT_LT(BytesPerBlock(Keys::kNumbers, 3000, false), 13.4);
  EXPECT_LT(BytesPerBlock(Keys::kTenants, 3000, true), 22);
  EXPECT_LT(BytesPerBlock(Keys::kNested, 3000, true), 22);
}

std::string Verdict(const Sample& sample, const Exact& block,
                    uint64_t file_limit) {
  ParsedIndex index(sample.order, sample.form);
  return index.Parse(block.slice(), {}, file_limit).ToString();
}

// The former parser went entry by entry, as FindFault does.
std::string SlowVerdict(const Sample& sample, const Exact& block,
                        uint64_t file_limit) {
  BlockView view;
  const Status status = ParseBlock(block.slice(), {}, &view);
  if (!status.ok()) return status.ToString();
  IndexChecks checks = sample.Checks();
  checks.file_limit = file_limit;
  return FindFault(view, {}, checks).ToString();
}

TEST(PackedIndex, RefusesDamagedBlocksAsAWalkByEntriesDoes) {
  ForEachSeed(1, IsThorough() ? 2000 : 60, [](uint64_t seed) {
    Random random(seed);
    const Keys kind = kAllKeys[seed % kAllKeys.size()];
    const Sample sample = MakeSample(kind, 1 + random.Below(40), &random);
    const std::string whole = sample.Encode();
    size_t refused = 0;
    for (int i = 0; i < 200; ++i) {
      std::string bytes = whole;
      uint64_t file_limit = kFileLimit;
      switch (random.Below(4)) {
        case 0:
          bytes.resize(random.Below(bytes.size()));
          break;
        case 1:
          file_limit = random.Below(sample.handles.back().End());
          break;
        case 2:
          bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
          break;
        default:
          bytes[random.Below(bytes.size())] ^=
              static_cast<char>(1 << random.Below(8));
      }
      const Exact block(bytes);
      const std::string verdict = Verdict(sample, block, file_limit);
      refused += verdict == "OK" ? 0 : 1;
      ASSERT_EQ(verdict, SlowVerdict(sample, block, file_limit));
    }
    EXPECT_GT(refused, 20u);
  });
}

}  // namespace
}  // namespace ashlar::testing
