#include "tools/cache_sim/cache_size.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tools/bench/command_line.h"
#include "tools/quantity.h"

namespace ashlar::sim {

namespace {

constexpr double kWhole = 100;

bool Parse(const std::string& text, size_t size, double* value) {
  const char* const end = text.data() + size;
  const auto [stop, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && stop == end;
}

bool ParseOne(const std::string& text, CacheSize* size) {
  size->text = text;
  if (text.ends_with('%')) {
    return Parse(text, text.size() - 1, &size->percent) && size->percent > 0 &&
           size->percent <= kWhole;
  }
  const auto entries = tool::ParseCount(text);
  if (!entries || *entries == 0 || *entries > UINT32_MAX) return false;
  size->entries = static_cast<uint32_t>(*entries);
  return true;
}

}  // namespace

uint32_t CacheSize::Of(uint32_t distinct_keys) const {
  if (percent == 0) return entries;
  const double part = distinct_keys * percent / kWhole;
  return std::max(1U, static_cast<uint32_t>(std::lround(part)));
}

Status ParseCacheSizes(const std::string& list, std::vector<CacheSize>* sizes) {
  for (const std::string& text : bench::Split(list)) {
    CacheSize size;
    if (!ParseOne(text, &size)) {
      return Status::InvalidArgument(
          "expected a size: a number of entries, such as 5000 or 5K, or a "
          "percentage of the keys above 0 and up to 100%; found " +
          text);
    }
    sizes->push_back(std::move(size));
  }
  if (sizes->empty())
    return Status::InvalidArgument("expected one or more sizes, found none");
  return Status::OK();
}

}  // namespace ashlar::sim
