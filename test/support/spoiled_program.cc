// Makes a program's codecs and filters go wrong. ASHLAR_SPOIL chooses how:
//
//   codec    data blocks that contain "spoil" are stored with other bytes
//   hash     the first hash of each filter changes before the filter is built
//   filter   each filter loses the second half of its bits

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "test/support/spoiled_build.h"

namespace ashlar::testing {
namespace {

using internal::HashCollector;

size_t SpoilBlock(internal::Compressor* codec, const Slice& raw, char* out,
                  size_t capacity) {
  constexpr std::string_view kMark = "spoil";
  std::string changed = raw.ToString();
  const size_t at = changed.find(kMark);
  if (at != std::string::npos) changed[at] = 'S';
  return codec->Compress(changed, out, capacity);
}

void SpoilFirstHash(const HashCollector& hashes) {
  FlipHash(hashes, hashes.first(), 1);
}

void SpoilFilter(const HashCollector&, char* payload, size_t size) {
  constexpr size_t kDescription = 5;  // at the end
  std::fill(payload + size / 2, payload + size - kDescription, 0);
}

std::optional<Spoiling> OfEnvironment() {
  const char* const wish = std::getenv("ASHLAR_SPOIL");
  const std::string_view what = wish == nullptr ? "" : wish;
  Spoiler spoiler;
  if (what == "codec") {
    spoiler.compress = SpoilBlock;
  } else if (what == "hash") {
    spoiler.before_filter = SpoilFirstHash;
  } else if (what == "filter") {
    spoiler.after_filter = SpoilFilter;
  } else {
    return std::nullopt;
  }
  return std::optional<Spoiling>(std::in_place, std::move(spoiler));
}

// Lives from before main until after it.
const std::optional<Spoiling> spoiling = OfEnvironment();

}  // namespace
}  // namespace ashlar::testing
