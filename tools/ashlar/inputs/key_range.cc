#include "tools/ashlar/inputs/key_range.h"

#include <utility>

#include "tools/ashlar/print/print_text.h"
#include "tools/escaped_text.h"

namespace ashlar::tool {
namespace {

// Returns the smallest string that is larger than all strings that begin with
// `prefix`. Returns nothing if there is none.
std::optional<std::string> BehindPrefix(std::string prefix) {
  while (!prefix.empty()) {
    if (static_cast<unsigned char>(prefix.back()) != 0xff) {
      prefix.back() = static_cast<char>(prefix.back() + 1);
      return prefix;
    }
    prefix.pop_back();
  }
  return std::nullopt;
}

// Reads a flag, if it is given. Returns what is wrong with it, or an empty
// string.
std::string ReadKey(const CommandLine& line, const char* flag,
                    const std::string& text, std::optional<std::string>* key) {
  if (!line.Given(flag)) return {};
  *key = KeyFromFlag(text);
  if (*key) return {};
  return std::string("--") + flag + ": " + DescribeBadKey(text);
}

}  // namespace

std::optional<std::string> KeyFromFlag(const std::string& text) {
  return FLAGS_input_key_hex ? FromHex(text) : Unescape(text);
}

std::string DescribeBadKey(const std::string& text) {
  if (FLAGS_input_key_hex) {
    return "'" + text + "' is not hexadecimal of even length";
  }
  return "'" + text + "': " + std::string(kExpectedEscape);
}

std::string KeyRange::Parse(const CommandLine& line) {
  if (line.Given("from") && line.Given("prefix")) {
    return "--from and --prefix exclude each other";
  }
  const std::string error = ParseEnds(line);
  return error.empty() ? ReadKey(line, "prefix", FLAGS_prefix, &prefix_)
                       : error;
}

std::string KeyRange::ParseEnds(const CommandLine& line) {
  const std::string error = ReadKey(line, "from", FLAGS_from, &from_);
  return error.empty() ? ReadKey(line, "to", FLAGS_to, &to_) : error;
}

KeyRange::Start KeyRange::StartIn(const Comparator& comparator) const {
  if (from_) return {from_};
  if (!prefix_) return {};
  if (&comparator != ReverseBytewiseComparator() &&
      &comparator != ReverseBytewiseComparatorWithU64Ts()) {
    return {prefix_};
  }
  // In reverse order, the keys of the prefix come right after the prefix's
  // successor.
  std::optional<std::string> behind = BehindPrefix(*prefix_);
  if (!behind) return {};
  return {std::move(behind), /*excludes_key=*/true};
}

bool KeyRange::EndsBefore(const Slice& user_key,
                          const Comparator& comparator) const {
  const Slice key = WithoutTimestamp(user_key, comparator.timestamp_size());
  if (to_ && comparator.CompareWithoutTimestamp(key, *to_) >= 0) return true;
  return prefix_ && !key.starts_with(*prefix_);
}

bool KeyRange::Contains(const Slice& key, const Comparator& comparator) const {
  if (from_ && comparator.CompareWithoutTimestamp(key, *from_) < 0) {
    return false;
  }
  if (to_ && comparator.CompareWithoutTimestamp(key, *to_) >= 0) return false;
  return !prefix_ || key.starts_with(*prefix_);
}

bool KeyRange::Meets(const Slice& first, const Slice& last,
                     const Comparator& comparator) const {
  const size_t timestamp = comparator.timestamp_size();
  const Slice begin = WithoutTimestamp(first, timestamp);
  const Slice end = WithoutTimestamp(last, timestamp);
  const auto compare = [&comparator](const Slice& a, const Slice& b) {
    return comparator.CompareWithoutTimestamp(a, b);
  };
  if (to_ && compare(begin, *to_) >= 0) return false;
  if (from_ && compare(end, *from_) <= 0) return false;
  if (!prefix_ || begin.starts_with(*prefix_) || end.starts_with(*prefix_)) {
    return true;
  }
  // The range deletion covers either all keys of the prefix or none.
  return compare(begin, *prefix_) < 0 && compare(*prefix_, end) < 0;
}

bool KeyRange::MayMeet(const std::string* after, const std::string& last,
                       const Comparator& comparator) const {
  const auto compare = [&comparator](const Slice& a, const Slice& b) {
    return comparator.CompareWithoutTimestamp(a, b);
  };
  if (from_ && compare(last, *from_) < 0) return false;
  if (to_ && after != nullptr && compare(*after, *to_) >= 0) return false;
  if (!prefix_) return true;
  // In either order, the keys of a prefix are adjacent. A key that does not
  // begin with the prefix is before or after all of them, as its comparison
  // with the prefix shows.
  const auto outside = [&](const std::string& key) {
    return key.starts_with(*prefix_) ? 0 : compare(key, *prefix_);
  };
  return outside(last) >= 0 && (after == nullptr || outside(*after) <= 0);
}

}  // namespace ashlar::tool
