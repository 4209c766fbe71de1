// One string has all names and values, in their order, and a vector has their
// ends. A name is found by binary search over that.

#include "ashlar/table/stored_properties.h"

#include <algorithm>

namespace ashlar {

StoredProperties::StoredProperties(
    const std::map<std::string, std::string>& entries) {
  for (const auto& [name, value] : entries) {
    // A map is sorted.
    static_cast<void>(Append(name, value));
  }
}

StoredProperties::value_type StoredProperties::At(size_t i) const {
  const size_t begin = i == 0 ? 0 : ends_[i - 1].value;
  const std::string_view all = bytes_;
  return {all.substr(begin, ends_[i].name - begin),
          all.substr(ends_[i].name, ends_[i].value - ends_[i].name)};
}

std::optional<std::string_view> StoredProperties::Find(
    std::string_view name) const {
  size_t at = 0;
  for (size_t end = size(); at < end;) {
    const size_t middle = at + (end - at) / 2;
    if (At(middle).first < name) {
      at = middle + 1;
    } else {
      end = middle;
    }
  }
  if (at == size()) return std::nullopt;
  const value_type entry = At(at);
  if (entry.first != name) return std::nullopt;
  return entry.second;
}

std::map<std::string, std::string> StoredProperties::ToMap() const {
  std::map<std::string, std::string> entries;
  for (const auto& [name, value] : *this) {
    entries.emplace_hint(entries.end(), name, value);
  }
  return entries;
}

bool StoredProperties::Append(std::string_view name, std::string_view value) {
  if (!empty() && back().first >= name) return false;
  const size_t begin = empty() ? 0 : ends_.back().value;
  // An Append that ran out of memory may have left bytes behind.
  bytes_.resize(begin);
  bytes_.append(name);
  bytes_.append(value);
  ends_.push_back({begin + name.size(), bytes_.size()});
  return true;
}

void StoredProperties::Reserve(size_t properties, size_t bytes) {
  ends_.reserve(properties);
  bytes_.reserve(bytes);
}

size_t StoredProperties::ApproximateMemoryUsage() const {
  return bytes_.capacity() + ends_.capacity() * sizeof(Ends);
}

}  // namespace ashlar
