#include "ashlar/table/filter_policy.h"

namespace ashlar {

FilterBuilder::~FilterBuilder() = default;
FilterReader::~FilterReader() = default;
FilterPolicy::~FilterPolicy() = default;

uint64_t FilterReader::MayMatchBatch(std::span<const Slice> bytes) const {
  uint64_t answers = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    answers |= static_cast<uint64_t>(MayMatch(bytes[i])) << i;
  }
  return answers;
}

namespace internal {

namespace {

constexpr std::string_view kBuiltInName = "rocksdb.BuiltinBloomFilter";

}  // namespace

Status CheckPolicyName(const FilterPolicy& policy) {
  constexpr size_t kMostBytes = 255;
  const std::string_view name = policy.CompatibilityName();
  if (!name.empty() && name.size() <= kMostBytes && name != kBuiltInName) {
    return {};
  }
  return Status::InvalidArgument(
      "filter policy '" + std::string(name.substr(0, kMostBytes)) +
      "': expected a name of 1 to 255 bytes, other than " +
      std::string(kBuiltInName));
}

Status CheckFilterPolicies(
    std::span<const std::shared_ptr<const FilterPolicy>> policies) {
  for (size_t i = 0; i < policies.size(); ++i) {
    if (policies[i] == nullptr) {
      return Status::InvalidArgument("filter_policies has a null pointer");
    }
    Status status = CheckPolicyName(*policies[i]);
    if (!status.ok()) return status;
    const std::string_view name = policies[i]->CompatibilityName();
    for (const auto& before : policies.first(i)) {
      if (before->CompatibilityName() != name) continue;
      return Status::InvalidArgument("filter_policies has two of the name '" +
                                     std::string(name) + "'");
    }
  }
  return {};
}

}  // namespace internal
}  // namespace ashlar
