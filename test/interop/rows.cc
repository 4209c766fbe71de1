#include "test/interop/rows.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

namespace ashlar::interop {

namespace {

using Random = std::mt19937_64;

std::string RandomBytes(size_t size, Random* random) {
  std::string bytes(size, '\0');
  for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
    const uint64_t word = (*random)();
    std::memcpy(&bytes[at], &word, std::min(size - at, sizeof word));
  }
  return bytes;
}

// Mostly one half of noise and its repetition, so that codecs have work to do.
// Some values are only noise.
std::string MakeValue(size_t size, Random* random) {
  if ((*random)() % 8 == 0) return RandomBytes(size, random);
  std::string value = RandomBytes(size / 2, random);
  while (value.size() < size) {
    value.append(value.empty() ? "v" : value.substr(0, size - value.size()));
  }
  return value;
}

std::string MakeKey(Shape shape, Random* random) {
  const uint64_t draw = (*random)();
  switch (shape) {
    case Shape::kRandom:
      return RandomBytes(draw % 40, random);
    case Shape::kPrefixes: {
      // Few prefixes of up to 300 bytes, so that most entries share one.
      std::string key(draw % 4 * 100, static_cast<char>('a' + draw % 4));
      key.append("/").append(std::to_string(draw / 4 % 5)).append("/");
      return key + std::to_string((*random)() % 100000);
    }
    case Shape::kEmptyValues:
      return RandomBytes(16, random);
    case Shape::kLargeValues:
    case Shape::kDeletes:
    case Shape::kMerges:
    case Shape::kVersions:
      return "key" + std::to_string(draw % 1000000);
  }
  return {};
}

size_t CountOf(Shape shape) {
  switch (shape) {
    case Shape::kEmptyValues:
      return 1000;
    case Shape::kLargeValues:
      return 16;
    case Shape::kVersions:
      return 40;  // user keys
    case Shape::kRandom:
    case Shape::kPrefixes:
    case Shape::kDeletes:
    case Shape::kMerges:
      break;
  }
  return 500;
}

ValueType MakeType(Shape shape, Random* random) {
  const uint64_t draw = (*random)() % 8;
  if (shape == Shape::kDeletes) {
    if (draw == 0) return ValueType::kTypeSingleDeletion;
    if (draw <= 2) return ValueType::kTypeDeletion;
  }
  if (shape == Shape::kMerges) {
    if (draw == 0) return ValueType::kTypeDeletion;
    if (draw <= 3) return ValueType::kTypeMerge;
  }
  return ValueType::kTypeValue;
}

std::string ValueFor(ValueType type, Shape shape, Random* random) {
  if (type == ValueType::kTypeDeletion ||
      type == ValueType::kTypeSingleDeletion || shape == Shape::kEmptyValues) {
    return {};
  }
  if (shape == Shape::kLargeValues && (*random)() % 4 != 0) {
    return MakeValue(65536, random);
  }
  return MakeValue((*random)() % 200, random);
}

// Returns writes in the order of time. A single deletion must meet exactly one
// put, so some keys alternate between the two. The other keys get the other
// types.
std::vector<Row> MakeVersions(const std::set<std::string>& keys,
                              Random* random) {
  const std::vector<std::string> names(keys.begin(), keys.end());
  std::vector<bool> alive(names.size());
  std::vector<Row> rows;
  const size_t writes = names.size() * 15;
  for (size_t i = 1; i <= writes; ++i) {
    // The first tenth of the keys gets half of all versions, so that some of
    // these keys fill more than one block.
    size_t which = (*random)() % names.size();
    if ((*random)() % 2 == 0) which /= 10;
    Row row{names[which], i, ValueType::kTypeValue, {}};
    if (which % 5 == 4) {
      if (alive[which]) row.type = ValueType::kTypeSingleDeletion;
      alive[which] = !alive[which];
    } else {
      const uint64_t draw = (*random)() % 8;
      if (draw == 0) row.type = ValueType::kTypeDeletion;
      if (draw == 1 || draw == 2) row.type = ValueType::kTypeMerge;
    }
    row.value = ValueFor(row.type, Shape::kVersions, random);
    rows.push_back(std::move(row));
  }
  return rows;
}

bool Before(const Row& a, const Row& b) {
  const int order = Slice(a.user_key).compare(b.user_key);
  return order != 0 ? order < 0 : a.sequence > b.sequence;
}

}  // namespace

std::vector<Row> MakeRows(Shape shape, uint64_t seed) {
  Random random(seed);
  std::set<std::string> keys;
  // One random key in 40 is empty. std::set orders as BytewiseComparator does.
  while (keys.size() < CountOf(shape)) keys.insert(MakeKey(shape, &random));
  std::vector<Row> rows;
  if (shape == Shape::kVersions) {
    rows = MakeVersions(keys, &random);
  } else {
    for (const std::string& key : keys) {
      const ValueType type = MakeType(shape, &random);
      rows.push_back({key, 0, type, ValueFor(type, shape, &random)});
    }
  }
  std::sort(rows.begin(), rows.end(), Before);
  return rows;
}

std::vector<Row> WithoutSingleDeletions(std::vector<Row> rows) {
  for (Row& row : rows) {
    if (row.type == ValueType::kTypeSingleDeletion) {
      row.type = ValueType::kTypeDeletion;
    }
  }
  return rows;
}

std::vector<std::string> AbsentKeys(const std::vector<Row>& rows,
                                    uint64_t seed) {
  std::set<std::string> present;
  for (const Row& row : rows) present.insert(row.user_key);
  Random random(seed);
  std::vector<std::string> absent;
  while (absent.size() < 200) {
    std::string key = rows[random() % rows.size()].user_key;
    key.append("x").append(std::to_string(random() % 1000));
    if (present.insert(key).second) absent.push_back(std::move(key));
  }
  return absent;
}

std::map<std::string, std::string> VisibleState(
    const std::vector<Row>& rows, std::map<std::string, std::string> state) {
  // From the oldest version of each key to the newest.
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    if (row->type == ValueType::kTypeValue) {
      state[row->user_key] = row->value;
    } else if (row->type == ValueType::kTypeMerge) {
      const auto [at, first] = state.try_emplace(row->user_key, row->value);
      if (!first) at->second.append(",").append(row->value);
    } else {
      state.erase(row->user_key);
    }
  }
  return state;
}

std::string NumberedKey(uint64_t number) {
  std::string key = "key000";
  for (size_t at = key.size(); number != 0; number /= 10) {
    key[--at] = static_cast<char>('0' + number % 10);
  }
  return key;
}

std::string ToHex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

std::string CanonicalDump(const std::vector<Row>& rows) {
  std::string dump;
  for (const Row& row : rows) {
    dump.append(ToHex(row.user_key)).append(" ");
    dump.append(std::to_string(row.sequence)).append(" ");
    dump.append(std::to_string(static_cast<int>(row.type))).append(" ");
    dump.append(ToHex(row.value)).append("\n");
  }
  return dump;
}

std::string DescribeDifference(const std::vector<Row>& expected,
                               const std::vector<Row>& found) {
  const auto describe = [](const std::vector<Row>& rows, size_t at) {
    if (at >= rows.size()) return std::string("nothing");
    const Row& row = rows[at];
    return DescribeInternalKey(
               MakeInternalKey(row.user_key, row.sequence, row.type)) +
           " with " + std::to_string(row.value.size()) + " value bytes";
  };
  size_t at = 0;
  while (at < expected.size() && at < found.size() &&
         expected[at] == found[at]) {
    ++at;
  }
  if (at == expected.size() && at == found.size()) return {};
  return "entry " + std::to_string(at) + ": expected " +
         describe(expected, at) + ", found " + describe(found, at);
}

}  // namespace ashlar::interop
