#include "table/filter/full_filter.h"

#include <utility>

namespace ashlar::internal {

FilterBitsBuilder KeyFilterBuilder::BitsFor(const TableOptions& options) {
  if (options.filter_policy != nullptr) {
    return FilterBitsBuilder(options.filter_policy);
  }
  return FilterBitsBuilder(options.filter, options.bloom_bits_per_key,
                           options.optimize_filters_for_memory,
                           options.detect_filter_construct_corruption
                               ? HashGuard::kOn
                               : HashGuard::kOff);
}

void KeyFilterBuilder::AddKeyAndPrefix(const Slice& user_key) {
  if (CustomFilterBuilder* const custom = bits_.custom(); custom != nullptr) {
    if (whole_keys_) custom->AddKey(user_key);
    return AddPrefixOf(user_key);
  }
  if (prefixes_ != nullptr && prefixes_->InDomain(user_key)) {
    const uint64_t prefix = HashForFilter(prefixes_->Transform(user_key));
    if (whole_keys_) {
      bits_.AddPair(HashForFilter(user_key), prefix);
    } else {
      bits_.Add(prefix);
    }
  } else if (whole_keys_) {
    bits_.Add(HashForFilter(user_key));
  }
}

// Adds the hash so that repeated ones are dropped.
void KeyFilterBuilder::AddPrefixOf(const Slice& user_key) {
  if (prefixes_ == nullptr || !prefixes_->InDomain(user_key)) return;
  const Slice prefix = prefixes_->Transform(user_key);
  if (CustomFilterBuilder* const custom = bits_.custom(); custom != nullptr) {
    return custom->AddPrefix(prefix);
  }
  const uint64_t hash = HashForFilter(prefix);
  if (whole_keys_) {
    bits_.AddPair(hash, hash);
  } else {
    bits_.Add(hash);
  }
}

FilterSubject::FilterSubject(const TableProperties& properties,
                             std::shared_ptr<const PrefixExtractor> given)
    : whole_keys_(properties.whole_key_filtering != "0") {
  const std::string& name = properties.prefix_extractor_name;
  if (properties.prefix_filtering == "0" || name.empty()) return;
  if (given == nullptr) given = FindBuiltinPrefixExtractor(name);
  if (given != nullptr && given->Name() == name) prefixes_ = std::move(given);
}

bool FilterSubject::OfPrefix(const Slice& user_key, Slice* bytes) const {
  if (prefixes_ == nullptr || !prefixes_->InDomain(user_key)) return false;
  *bytes = prefixes_->Transform(user_key);
  return true;
}

}  // namespace ashlar::internal
