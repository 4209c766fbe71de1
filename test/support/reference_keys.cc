// Section numbers in these comments refer to table/FORMAT.md.
#include "test/support/reference_keys.h"

#include <algorithm>

#include "test/support/reference_bytes.h"

namespace ashlar::testing::reference {

namespace {

// Returns the number that follows `begin` in `name`, or nothing if `name` does
// not begin with `begin`.
std::optional<size_t> NumberBehind(const std::string& begin,
                                   const std::string& name) {
  if (name.compare(0, begin.size(), begin) != 0) return std::nullopt;
  std::string digits = name.substr(begin.size());
  bool all = std::all_of(digits.begin(), digits.end(),
                         [](char c) { return c >= '0' && c <= '9'; });
  if (digits.empty() || digits.size() > 9 || !all) return std::nullopt;
  return std::stoul(digits);
}

}  // namespace

// Section 6.1.
ReferenceOrder OrderOf(const std::string& comparator_name) {
  for (bool reverse : {false, true}) {
    for (size_t timestamp_size : {size_t{0}, size_t{8}}) {
      std::string name = reverse ? "rocksdb.ReverseBytewiseComparator"
                                 : "leveldb.BytewiseComparator";
      if (timestamp_size != 0) name += ".u64ts";
      if (name == comparator_name) return {reverse, timestamp_size};
    }
  }
  Fail("not supported: comparator " + comparator_name);
}

std::string_view WithoutTimestamp(const ReferenceOrder& order,
                                  std::string_view user_key) {
  Check(user_key.size() >= order.timestamp_size,
        "user key shorter than a timestamp");
  user_key.remove_suffix(order.timestamp_size);
  return user_key;
}

int CompareUserKeys(const ReferenceOrder& order, std::string_view a,
                    std::string_view b) {
  // char_traits<char> compares as unsigned bytes.
  int result = WithoutTimestamp(order, a).compare(WithoutTimestamp(order, b));
  if (result != 0) return order.reverse ? -result : result;
  if (order.timestamp_size == 0) return 0;
  uint64_t time_of_a = Fixed64(a, a.size() - 8);
  uint64_t time_of_b = Fixed64(b, b.size() - 8);
  if (time_of_a == time_of_b) return 0;
  return time_of_a > time_of_b ? -1 : 1;
}

std::string_view UserKey(std::string_view internal_key) {
  Check(internal_key.size() >= 8, "internal key shorter than 8 bytes");
  return internal_key.substr(0, internal_key.size() - 8);
}

uint64_t Tail64(std::string_view internal_key) {
  return Fixed64(internal_key, internal_key.size() - 8);
}

std::string InternalKey(std::string_view user_key, uint64_t sequence,
                        uint8_t type) {
  std::string key(user_key);
  uint64_t tail = (sequence << 8) | type;
  for (int i = 0; i < 8; i++) key += static_cast<char>(tail >> (8 * i));
  return key;
}

int CompareInternalKeys(const ReferenceOrder& order, std::string_view a,
                        std::string_view b) {
  int result = CompareUserKeys(order, UserKey(a), UserKey(b));
  if (result != 0) return result;
  if (Tail64(a) == Tail64(b)) return 0;
  return Tail64(a) > Tail64(b) ? -1 : 1;
}

// Section 9.4.
std::optional<std::string> PrefixOf(const std::string& extractor_name,
                                    std::string_view key) {
  if (extractor_name == "rocksdb.Noop") return std::string(key);
  if (auto n = NumberBehind("rocksdb.CappedPrefix.", extractor_name)) {
    return std::string(key.substr(0, *n));
  }
  auto n = NumberBehind("rocksdb.FixedPrefix.", extractor_name);
  if (!n.has_value() || key.size() < *n) return std::nullopt;
  return std::string(key.substr(0, *n));
}

bool IsBuiltinExtractor(const std::string& name) {
  return name == "rocksdb.Noop" ||
         NumberBehind("rocksdb.CappedPrefix.", name).has_value() ||
         NumberBehind("rocksdb.FixedPrefix.", name).has_value();
}

}  // namespace ashlar::testing::reference
