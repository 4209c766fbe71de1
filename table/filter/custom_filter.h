// CustomFilterBuilder: feeds the builder of an application's FilterPolicy.
//
// A part of FilterBitsBuilder, which hides from the rest of the table builder
// whether a filter is built in. It drops repetitions, counts, and turns what a
// policy does wrong into an error. One thread at a time.
#ifndef ASHLAR_TABLE_FILTER_CUSTOM_FILTER_H_
#define ASHLAR_TABLE_FILTER_CUSTOM_FILTER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ashlar/table/filter_policy.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

class CustomFilterBuilder {
 public:
  explicit CustomFilterBuilder(std::shared_ptr<const FilterPolicy> policy)
      : policy_(std::move(policy)) {}

  const FilterPolicy& policy() const { return *policy_; }

  // Adds a key or a prefix, unless it is the one that was added last. Throws
  // std::bad_alloc if there is no memory.
  void AddKey(const Slice& key) { AddUnless(key, &last_key_); }
  void AddPrefix(const Slice& prefix) { AddUnless(prefix, &last_prefix_); }

  uint64_t added() const { return added_; }
  uint64_t SizeEstimate() const {
    return builder_ == nullptr ? 0 : builder_->SizeEstimate();
  }
  uint64_t KeysIn(uint64_t bytes) const;

  // Appends the payload to *out, or nothing if nothing was added. Afterwards
  // this is as new. Returns Aborted if the policy fails, or MemoryLimit.
  Status Finish(Buffer* out);
  // Returns one with all that was added; this one is then as new.
  std::unique_ptr<CustomFilterBuilder> Take();

 private:
  void AddUnless(const Slice& bytes, std::string* last);
  void Clear();

  std::shared_ptr<const FilterPolicy> policy_;
  std::unique_ptr<FilterBuilder> builder_;  // null until something is added
  uint64_t added_ = 0;
  bool failed_ = false;  // NewBuilder returned null
  std::string last_key_;
  std::string last_prefix_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_CUSTOM_FILTER_H_
