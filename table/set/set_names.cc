#include "table/set/set_names.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace ashlar::internal {
namespace {

constexpr std::string_view kSuffix = ".sst";
constexpr std::string_view kTemporary = ".tmp.";
constexpr size_t kFewestDigits = 6;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetterOrDigit(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsAllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

// Removes `part` from the front of *text. Returns false if *text does not begin
// with it.
bool Skip(std::string_view part, std::string_view* text) {
  if (!text->starts_with(part)) return false;
  text->remove_prefix(part.size());
  return true;
}

}  // namespace

SetNames::SetNames(const std::string& path)
    : parent_(path.substr(0, path.rfind('/') + 1)),
      last_part_(path.substr(path.rfind('/') + 1)) {
  if (last_part_.ends_with(kSuffix)) {
    last_part_.resize(last_part_.size() - kSuffix.size());
  }
}

bool SetNames::IsRunFolder(std::string_view name) const {
  constexpr size_t kDrawn = 6;
  return Skip(last_part_, &name) && Skip(kTemporary, &name) &&
         name.size() == kDrawn &&
         std::all_of(name.begin(), name.end(), IsLetterOrDigit);
}

std::string SetNames::Table(uint64_t number) const {
  char digits[24];
  std::snprintf(digits, sizeof digits, "-%06llu",
                static_cast<unsigned long long>(number));
  return last_part_ + digits + std::string(kSuffix);
}

std::string_view SetNames::Digits(std::string_view name) const {
  if (!Skip(last_part_, &name) || !Skip("-", &name)) return {};
  if (!name.ends_with(kSuffix)) return {};
  name.remove_suffix(kSuffix.size());
  const bool is_number = name.size() >= kFewestDigits && IsAllDigits(name);
  return is_number ? name : std::string_view();
}

std::optional<uint64_t> SetNames::NumberOf(std::string_view name) const {
  const std::string_view digits = Digits(name);
  uint64_t number = 0;
  const auto parsed =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || parsed.ec != std::errc() || number > kLargestNumber) {
    return std::nullopt;
  }
  return number;
}

bool IsTemporaryName(std::string_view name, std::string_view of) {
  if (!Skip(of, &name) || !Skip(kTemporary, &name)) return false;
  const size_t dot = name.find('.');
  return dot != std::string_view::npos && IsAllDigits(name.substr(0, dot)) &&
         IsAllDigits(name.substr(dot + 1));
}

}  // namespace ashlar::internal
