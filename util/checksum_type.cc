#include "ashlar/util/checksum_type.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

// Ordered by number.
constexpr std::string_view kNames[] = {"kNoChecksum", "kCRC32c", "kxxHash",
                                       "kxxHash64", "kXXH3"};
static_assert(std::size(kNames) ==
              static_cast<size_t>(ChecksumType::kXXH3) + 1);

constexpr char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool SameInAnyCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

}  // namespace

std::string_view ChecksumTypeName(ChecksumType type) {
  const auto number = static_cast<size_t>(type);
  return number < std::size(kNames) ? kNames[number] : "kUnknown";
}

Result<ChecksumType> ParseChecksumType(std::string_view text) {
  return internal::OrMemoryLimit([&]() -> Result<ChecksumType> {
    for (size_t number = 0; number < std::size(kNames); ++number) {
      const std::string_view name = kNames[number];
      const char digit = static_cast<char>('0' + number);
      if (text == std::string_view(&digit, 1) || SameInAnyCase(text, name) ||
          SameInAnyCase(text, name.substr(1))) {
        return static_cast<ChecksumType>(number);
      }
    }
    std::string message = "checksum type '";
    message += text;
    message += "': expected";
    for (const std::string_view name : kNames) {
      message += name == kNames[0] ? " " : ", ";
      message += name;
    }
    message += " or 0 to 4";
    return Status::InvalidArgument(message);
  });
}

}  // namespace ashlar
