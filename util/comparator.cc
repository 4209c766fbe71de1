#include "ashlar/util/comparator.h"

#include "util/coding/coding.h"
#include "util/coding/word_compare.h"

namespace ashlar {

Comparator::~Comparator() = default;

void Comparator::FindShortestSeparator(std::string*, const Slice&) const {}
void Comparator::FindShortSuccessor(std::string*) const {}

int Comparator::CompareTimestamp(const Slice&, const Slice&) const { return 0; }

int Comparator::CompareWithoutTimestamp(const Slice& a, const Slice& b) const {
  return Compare(a, b);
}

namespace {

uint8_t ByteAt(const Slice& s, size_t i) { return static_cast<uint8_t>(s[i]); }

class Bytewise final : public Comparator {
 public:
  std::string_view Name() const override {
    return "leveldb.BytewiseComparator";
  }
  int Compare(const Slice& a, const Slice& b) const override {
    return a.compare(b);
  }
  // Cuts after the first byte where the keys differ, and raises that byte by
  // one, if the result stays below the limit. Otherwise cuts after the next
  // byte that can be raised.
  void FindShortestSeparator(std::string* start,
                             const Slice& limit) const override {
    const Slice from(*start);
    const size_t parting = internal::CommonPrefix(from, limit);
    if (parting >= from.size() || parting >= limit.size()) return;
    const uint8_t low = ByteAt(from, parting);
    const uint8_t high = ByteAt(limit, parting);
    if (low >= high) return;
    size_t raised = parting;
    if (parting + 1 == limit.size() && low + 1 == high) {
      // Raising here would reach the limit itself.
      ++raised;
      while (raised < from.size() && ByteAt(from, raised) == 0xff) ++raised;
      if (raised == from.size()) return;
    }
    start->resize(raised + 1);
    ++(*start)[raised];
  }
  // Cuts after the first byte that can be raised.
  void FindShortSuccessor(std::string* key) const override {
    for (size_t i = 0; i < key->size(); ++i) {
      if (ByteAt(*key, i) == 0xff) continue;
      key->resize(i + 1);
      ++(*key)[i];
      return;
    }
  }
};

class ReverseBytewise final : public Comparator {
 public:
  std::string_view Name() const override {
    return "rocksdb.ReverseBytewiseComparator";
  }
  int Compare(const Slice& a, const Slice& b) const override {
    return b.compare(a);
  }
  // A prefix of a key sorts after the key. So the start, cut right after the
  // first byte that differs, is between the two keys.
  void FindShortestSeparator(std::string* start,
                             const Slice& limit) const override {
    const Slice from(*start);
    const size_t parting = internal::CommonPrefix(from, limit);
    if (parting >= from.size() || parting >= limit.size()) return;
    if (ByteAt(from, parting) > ByteAt(limit, parting)) {
      start->resize(parting + 1);
    }
  }
};

// Separators are never shortened, as in RocksDB's files.
template <typename Base>
class WithU64Ts final : public Comparator {
 public:
  WithU64Ts() : name_(std::string(base_.Name()) + ".u64ts") {}

  std::string_view Name() const override { return name_; }
  int Compare(const Slice& a, const Slice& b) const override {
    const int order =
        base_.Compare(WithoutTimestamp(a, kSize), WithoutTimestamp(b, kSize));
    if (order != 0) return order;
    return CompareTimestamp(TimestampOf(b, kSize), TimestampOf(a, kSize));
  }
  size_t timestamp_size() const override { return kSize; }
  int CompareTimestamp(const Slice& a, const Slice& b) const override {
    const uint64_t x = internal::LoadFixed64(a.data());
    const uint64_t y = internal::LoadFixed64(b.data());
    return x < y ? -1 : x > y ? 1 : 0;
  }
  int CompareWithoutTimestamp(const Slice& a, const Slice& b) const override {
    return base_.Compare(a, b);
  }

 private:
  static constexpr size_t kSize = sizeof(uint64_t);

  const Base base_;
  const std::string name_;
};

}  // namespace

const Comparator* BytewiseComparator() {
  static const Bytewise comparator;
  return &comparator;
}

const Comparator* ReverseBytewiseComparator() {
  static const ReverseBytewise comparator;
  return &comparator;
}

const Comparator* BytewiseComparatorWithU64Ts() {
  static const WithU64Ts<Bytewise>* const comparator =
      new WithU64Ts<Bytewise>();
  return comparator;
}

const Comparator* ReverseBytewiseComparatorWithU64Ts() {
  static const WithU64Ts<ReverseBytewise>* const comparator =
      new WithU64Ts<ReverseBytewise>();
  return comparator;
}

std::string EncodeU64Ts(uint64_t timestamp) {
  std::string bytes;
  internal::AppendFixed64(&bytes, timestamp);
  return bytes;
}

uint64_t DecodeU64Ts(const Slice& bytes) {
  return bytes.size() == sizeof(uint64_t) ? internal::LoadFixed64(bytes.data())
                                          : 0;
}

const Comparator* FindBuiltinComparator(std::string_view name) {
  for (const Comparator* candidate :
       {BytewiseComparator(), ReverseBytewiseComparator(),
        BytewiseComparatorWithU64Ts(), ReverseBytewiseComparatorWithU64Ts()}) {
    if (candidate->Name() == name) return candidate;
  }
  return nullptr;
}

}  // namespace ashlar
