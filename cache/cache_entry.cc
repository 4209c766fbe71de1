#include "ashlar/cache/cache_entry.h"

#include <algorithm>
#include <memory>

#include "ashlar/cache/cache.h"

namespace ashlar {

std::string_view CacheEntryRoleName(CacheEntryRole role) {
  constexpr std::array<std::string_view, kCacheEntryRoles> kNames = {
      "DataBlock",
      "FilterBlock",
      "FilterMetaBlock",
      "IndexBlock",
      "OtherBlock",
      "WriteBuffer",
      "CompressionDictionaryBuildingBuffer",
      "FilterConstruction",
      "BlockBasedTableReader",
      "FileMetadata",
      "BlobValue",
      "BlobCache",
      "ReadAhead",
      "Iterator",
      "Misc",
  };
  return kNames[static_cast<size_t>(role)];
}

CacheEntryStats Cache::CollectEntryStats() {
  CacheEntryStats stats;
  ForEachEntry([&stats](const CacheEntryView& entry) {
    CacheEntryStats::Of& of =
        stats.by_role[static_cast<size_t>(entry.ops->role)];
    ++of.count;
    of.charge += entry.charge;
    of.bytes += entry.ops->size != nullptr ? entry.ops->size(entry.value)
                                           : entry.charge;
    const auto* const bound = std::upper_bound(
        kCacheAgeBounds.begin(), kCacheAgeBounds.end(), entry.age_seconds);
    ++of.by_age[static_cast<size_t>(bound - kCacheAgeBounds.begin())];
    of.oldest_seconds = std::max(of.oldest_seconds, entry.age_seconds);
  });
  return stats;
}

bool Cache::VisitEntry(
    const CacheKey& key,
    const std::function<void(const CacheEntryView&)>& callback) {
  CacheHandle* const found = Lookup(key);
  if (found == nullptr) return false;
  const auto release = [this](CacheHandle* handle) { Release(handle); };
  const std::unique_ptr<CacheHandle, decltype(release)> held(found, release);
  callback({.key = key,
            .value = found->value(),
            .ops = found->ops(),
            .charge = found->charge()});
  return true;
}

namespace {

constexpr size_t kFigureWidth = 13;
constexpr size_t kShareWidth = 8;

std::string Right(const std::string& text, size_t width) {
  return std::string(width > text.size() ? width - text.size() : 1, ' ') + text;
}

// "90 s", "3 min", "5 h", "12 d".
std::string Duration(uint32_t seconds) {
  constexpr uint32_t kMinute = 60;
  constexpr uint32_t kHour = 60 * kMinute;
  constexpr uint32_t kDay = 24 * kHour;
  if (seconds < 2 * kMinute) return std::to_string(seconds) + " s";
  if (seconds < 2 * kHour) return std::to_string(seconds / kMinute) + " min";
  if (seconds < 2 * kDay) return std::to_string(seconds / kHour) + " h";
  return std::to_string(seconds / kDay) + " d";
}

std::string Share(uint64_t part, uint64_t whole) {
  if (part == 0) return "-";
  const auto percent = static_cast<int>(100.0 * static_cast<double>(part) /
                                        static_cast<double>(whole));
  return percent == 0 ? "<1 %" : std::to_string(percent) + " %";
}

std::string LineOf(std::string_view name, size_t name_width,
                   const CacheEntryStats::Of& of) {
  std::string line(name);
  line.resize(name_width, ' ');
  for (const uint64_t figure : {of.count, of.bytes, of.charge}) {
    line += Right(std::to_string(figure), kFigureWidth);
  }
  for (const uint64_t part : of.by_age) {
    line += Right(Share(part, of.count), kShareWidth);
  }
  return line + Right(Duration(of.oldest_seconds), kShareWidth) + "\n";
}

}  // namespace

std::string CacheEntryStats::ToString() const {
  size_t name_width = 0;
  for (size_t i = 0; i < by_role.size(); ++i) {
    if (by_role[i].count == 0) continue;
    const auto role = static_cast<CacheEntryRole>(i);
    name_width = std::max(name_width, CacheEntryRoleName(role).size());
  }
  if (name_width == 0) return "no entries\n";
  std::string text("role");
  text.resize(name_width, ' ');
  for (const char* const name : {"entries", "bytes", "charge"}) {
    text += Right(name, kFigureWidth);
  }
  for (const char* const age : {"< 10 s", "< 1 min", "<10 min", "< 1 h",
                                "< 6 h", "< 1 d", "< 1 w", "older", "oldest"}) {
    text += Right(age, kShareWidth);
  }
  text += "\n";
  for (size_t i = 0; i < by_role.size(); ++i) {
    if (by_role[i].count == 0) continue;
    text += LineOf(CacheEntryRoleName(static_cast<CacheEntryRole>(i)),
                   name_width, by_role[i]);
  }
  return text;
}

}  // namespace ashlar
