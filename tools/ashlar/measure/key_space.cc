#include "tools/ashlar/measure/key_space.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

namespace ashlar::tool {
namespace {

// Maps each key to a number from 0 to 1, in the order of the keys' bytes.
class KeyScale {
 public:
  KeyScale(std::string_view smallest, std::string_view largest)
      : common_(
            static_cast<size_t>(std::mismatch(smallest.begin(), smallest.end(),
                                              largest.begin(), largest.end())
                                    .first -
                                smallest.begin())) {}

  void Add(std::string_view key) {
    for (size_t i = 0; i < kPlaces; ++i) used_[i][Symbol(key, i)] = true;
  }
  // To be called after the last Add.
  void Finish() {
    for (size_t i = 0; i < kPlaces; ++i) {
      FillGaps(i);
      size_t rank = 0;
      for (size_t symbol = 0; symbol < kSymbols; ++symbol) {
        ranks_[i][symbol] = rank;
        if (used_[i][symbol]) ++rank;
      }
      counts_[i] = std::max<size_t>(rank, 1);
    }
  }

  // Keys that were not added get a number between those that were.
  double Place(std::string_view key) const {
    double place = 0;
    double width = 1;
    for (size_t i = 0; i < kPlaces; ++i) {
      width /= static_cast<double>(counts_[i]);
      const size_t symbol = Symbol(key, i);
      place += width * static_cast<double>(ranks_[i][symbol]);
      if (symbol == 0) break;
    }
    return std::min(place, 1.0);
  }

 private:
  static constexpr size_t kPlaces = 8;
  // One for the key's end, and one for each byte.
  static constexpr size_t kSymbols = 257;

  struct Range {
    unsigned low;
    unsigned high;
  };

  // Marks bytes that keys might have at this place, although none has: the
  // picture shows these as gaps. In text, these are the bytes between two used
  // digits or two used letters. Otherwise, they are all bytes between two used
  // ones.
  void FillGaps(size_t place) {
    constexpr Range kWords[] = {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}};
    constexpr Range kAll = {0, 255};
    const bool binary = Any(place, {0, ' ' - 1}) || Any(place, {'~' + 1, 255});
    if (binary) {
      Fill(place, kAll);
    } else {
      for (const Range& range : kWords) Fill(place, range);
    }
  }
  bool Any(size_t place, const Range& range) const {
    for (unsigned byte = range.low; byte <= range.high; ++byte) {
      if (used_[place][byte + 1]) return true;
    }
    return false;
  }
  // Marks all bytes of the range from the first used one to the last.
  void Fill(size_t place, Range range) {
    while (range.low < range.high && !used_[place][range.low + 1]) ++range.low;
    while (range.low < range.high && !used_[place][range.high + 1]) {
      --range.high;
    }
    if (!used_[place][range.low + 1]) return;
    for (unsigned byte = range.low; byte <= range.high; ++byte) {
      used_[place][byte + 1] = true;
    }
  }

  size_t Symbol(std::string_view key, size_t place) const {
    const size_t at = common_ + place;
    return at < key.size() ? 1u + static_cast<unsigned char>(key[at]) : 0u;
  }

  const size_t common_;
  std::array<std::array<bool, kSymbols>, kPlaces> used_ = {};
  std::array<std::array<size_t, kSymbols>, kPlaces> ranks_ = {};
  std::array<size_t, kPlaces> counts_ = {};
};

class Spreader {
 public:
  Spreader(const KeyScale& scale, double low, double high, bool reverse)
      : scale_(scale),
        low_(low),
        width_(std::max(high - low, 1e-300)),
        reverse_(reverse),
        parts_(KeySpace::kParts) {}

  void AddBlock(const KeySpan& span) {
    const auto [from, to] = Ends(span.first, span.last);
    const size_t begin = PartAt(from);
    const size_t end = PartAt(to);
    if (parts_[begin].first_key.empty()) parts_[begin].first_key = span.first;
    for (size_t i = begin; i <= end; ++i) {
      KeySpace::Part& part = parts_[i];
      const double overlap = std::min(to, static_cast<double>(i + 1)) -
                             std::max(from, static_cast<double>(i));
      part.bytes += static_cast<double>(span.bytes) *
                    (begin == end ? 1 : overlap / (to - from));
      part.bad = part.bad || span.bad;
    }
  }
  void AddDeletion(const std::string& first, const std::string& last) {
    const auto [from, to] = Ends(first, last);
    for (size_t i = PartAt(from); i <= PartAt(to); ++i) {
      parts_[i].deleted = true;
    }
  }
  std::vector<KeySpace::Part> Take() { return std::move(parts_); }

 private:
  // Returns a key's distance from the left, in parts.
  double At(const std::string& key) const {
    const double place =
        std::clamp((scale_.Place(key) - low_) / width_, 0.0, 1.0);
    return (reverse_ ? 1 - place : place) *
           static_cast<double>(KeySpace::kParts);
  }
  std::pair<double, double> Ends(const std::string& a,
                                 const std::string& b) const {
    return std::minmax({At(a), At(b)});
  }
  static size_t PartAt(double at) {
    return std::min(static_cast<size_t>(at), KeySpace::kParts - 1);
  }

  const KeyScale& scale_;
  const double low_;
  const double width_;
  const bool reverse_;
  std::vector<KeySpace::Part> parts_;
};

void CountParts(KeySpace* space) {
  std::vector<double> sizes;
  double total = 0;
  for (const KeySpace::Part& part : space->parts) {
    sizes.push_back(part.bytes);
    total += part.bytes;
  }
  // A block may begin before a gap and end after it. It then seems to fill the
  // gap thinly.
  const double little = total / KeySpace::kParts / 50;
  space->used_parts = static_cast<size_t>(
      std::count_if(sizes.begin(), sizes.end(),
                    [&](double bytes) { return bytes > little; }));
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  for (double met = 0; space->half_parts < sizes.size() && met < total / 2;) {
    met += sizes[space->half_parts++];
  }
}

}  // namespace

KeySpace MakeKeySpace(
    const std::vector<KeySpan>& blocks,
    const std::vector<std::pair<std::string, std::string>>& deletions,
    bool reverse) {
  KeySpace space;
  std::vector<std::string_view> keys;
  for (const KeySpan& span : blocks)
    keys.insert(keys.end(), {span.first, span.last});
  for (const auto& [begin, end] : deletions)
    keys.insert(keys.end(), {begin, end});
  if (keys.empty()) return space;
  const auto [smallest, largest] =
      std::minmax_element(keys.begin(), keys.end());
  KeyScale scale(*smallest, *largest);
  for (const std::string_view key : keys) scale.Add(key);
  scale.Finish();
  Spreader spreader(scale, scale.Place(*smallest), scale.Place(*largest),
                    reverse);
  for (const KeySpan& span : blocks) spreader.AddBlock(span);
  for (const auto& [begin, end] : deletions) spreader.AddDeletion(begin, end);
  space.parts = spreader.Take();
  space.first_key = reverse ? *largest : *smallest;
  space.last_key = reverse ? *smallest : *largest;
  CountParts(&space);
  return space;
}

}  // namespace ashlar::tool
