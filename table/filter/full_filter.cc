#include "table/filter/full_filter.h"

#include <utility>

namespace ashlar::internal {

void KeyFilterBuilder::AddKeyAndPrefix(const Slice& user_key) {
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
