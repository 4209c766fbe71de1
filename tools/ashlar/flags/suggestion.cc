#include "tools/ashlar/flags/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ashlar::tool {
namespace {

// Returns the number of changes that make `b` of `a`, by the rows of a table:
// changes of the first i letters of `a` into the first j of `b`.
size_t Changes(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1,
                         last[j - 1] + (same ? size_t{0} : size_t{1})});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Nearest(std::string_view word,
                    std::span<const std::string_view> names) {
  constexpr size_t kLettersPerChange = 3;
  // The longest flag has fewer.
  constexpr size_t kMostLetters = 64;
  if (word.size() > kMostLetters) return {};
  size_t best = word.size() / kLettersPerChange + 1;
  std::string_view nearest;
  for (const std::string_view name : names) {
    const size_t changes = Changes(word, name);
    if (changes > best || (changes == best && nearest.empty())) continue;
    nearest = changes == best ? std::string_view() : name;
    best = changes;
  }
  return std::string(nearest);
}

}  // namespace ashlar::tool
