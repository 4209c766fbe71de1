#include "table/options/option_text.h"

#include <charconv>
#include <limits>

namespace ashlar::internal {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// Returns how many bytes the braces at the begin of `text` span. Returns 0 if
// they are not closed, or nested too deep; *why then says which.
size_t SpanOfBraces(std::string_view text, const char** why) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' && ++depth > kMostNestedBraces) {
      *why = "braces are nested more than 16 deep";
      return 0;
    }
    if (text[i] == '}' && --depth == 0) return i + 1;
  }
  *why = "'{' has no '}'";
  return 0;
}

// Takes away the braces around all of the text, also several pairs of them.
Status StripBraces(std::string_view* text, std::string_view* at) {
  *text = Trimmed(*text);
  while (text->starts_with('{')) {
    const char* why = nullptr;
    const size_t span = SpanOfBraces(*text, &why);
    if (span == 0) {
      *at = *text;
      return Status::InvalidArgument(why);
    }
    if (span != text->size()) return {};
    *text = Trimmed(text->substr(1, span - 2));
  }
  return {};
}

// Reads a value up to its ';' or the end, and takes it off *rest.
Status TakeValue(std::string_view* rest, std::string_view* value,
                 std::string_view* at) {
  const size_t first = rest->find_first_not_of(kSpace);
  rest->remove_prefix(first == rest->npos ? rest->size() : first);
  size_t end = rest->find(';');
  if (rest->starts_with('{')) {
    const char* why = nullptr;
    end = SpanOfBraces(*rest, &why);
    if (end == 0) {
      *at = *rest;
      return Status::InvalidArgument(why);
    }
    const std::string_view after = rest->substr(end);
    const size_t next = after.find_first_not_of(kSpace);
    if (next != after.npos && after[next] != ';') {
      *at = after.substr(next);
      return Status::InvalidArgument("there is text after '}'");
    }
    end = next == after.npos ? rest->size() : end + next;
  }
  *value = Trimmed(rest->substr(0, end));
  *rest = end < rest->size() ? rest->substr(end + 1) : std::string_view();
  return StripBraces(value, at);
}

template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) {
    return std::nullopt;
  }
  return number;
}

// Reads K, M, G or T at the end, and takes it off. Returns the shift for it.
int TakeSuffix(std::string_view* text) {
  constexpr std::string_view kSuffixes = "kmgtKMGT";
  constexpr size_t kLetters = 4;
  constexpr int kShift = 10;
  if (text->empty()) return 0;
  const size_t found = kSuffixes.find(text->back());
  if (found == kSuffixes.npos) return 0;
  text->remove_suffix(1);
  return kShift * static_cast<int>(found % kLetters + 1);
}

template <typename Number>
std::optional<OptionValue> ParseWhole(std::string_view text) {
  const int shift = TakeSuffix(&text);
  const std::optional<Number> number = ParseNumber<Number>(text);
  if (!number) return std::nullopt;
  // A type without a bit for the suffix holds no such number but zero.
  if (shift >= std::numeric_limits<Number>::digits) {
    return *number == 0 ? std::optional(OptionValue(Number{0})) : std::nullopt;
  }
  const Number most = std::numeric_limits<Number>::max() >> shift;
  const Number least = std::numeric_limits<Number>::min() >> shift;
  if (*number > most || *number < least) return std::nullopt;
  return OptionValue(*number * (Number{1} << shift));
}

}  // namespace

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

Status SplitPairs(std::string_view text, std::vector<OptionPair>* pairs,
                  std::string_view* at) {
  std::string_view rest = text;
  Status status = StripBraces(&rest, at);
  while (status.ok() && !Trimmed(rest).empty()) {
    rest = rest.substr(rest.find_first_not_of(kSpace));
    *at = rest;
    const size_t equals = rest.find('=');
    if (equals == rest.npos || rest.find(';') < equals) {
      return Status::InvalidArgument("there is no '=' after a name");
    }
    OptionPair pair = {.name = Trimmed(rest.substr(0, equals))};
    if (pair.name.empty()) {
      return Status::InvalidArgument("there is no name before '='");
    }
    rest.remove_prefix(equals + 1);
    status = TakeValue(&rest, &pair.value, at);
    pairs->push_back(pair);
  }
  return status;
}

std::vector<std::string_view> SplitList(std::string_view text) {
  std::vector<std::string_view> elements;
  while (!text.empty()) {
    const size_t end = text.find(':');
    elements.push_back(Trimmed(text.substr(0, end)));
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return elements;
}

std::optional<OptionValue> ParseOptionValue(OptionKind kind,
                                            const OptionBounds& bounds,
                                            std::string_view text) {
  if (!bounds.names.empty()) return OptionValue(text);
  switch (kind) {
    case OptionKind::kBool:
      if (text == "true" || text == "1") return OptionValue(true);
      if (text == "false" || text == "0") return OptionValue(false);
      return std::nullopt;
    case OptionKind::kInt:
      return ParseWhole<int>(text);
    case OptionKind::kUint32:
    case OptionKind::kUint64:
      return ParseWhole<uint64_t>(text);
    case OptionKind::kDouble:
      if (const auto number = ParseDouble(text)) return OptionValue(*number);
      return std::nullopt;
    case OptionKind::kText:
      return OptionValue(text);
  }
  return std::nullopt;
}

std::optional<uint64_t> ParseDigits(std::string_view text) {
  return ParseNumber<uint64_t>(text);
}

std::optional<double> ParseDouble(std::string_view text) {
  return ParseNumber<double>(text);
}

std::string Unescaped(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      c = text[++i];
      if (c == 'n') c = '\n';
      if (c == 'r') c = '\r';
    }
    plain += c;
  }
  return plain;
}

}  // namespace ashlar::internal
