// What of a user key is in a filter: the whole key, its prefix, or both.
//
// KeyFilterBuilder feeds a filter while a table is built; the partitioned
// filter does the same partition by partition. FilterSubject is the other
// side: what a file's filter may be asked. Neither is asked per block.
//
// A builder belongs to one thread; subjects never change.
#ifndef ASHLAR_TABLE_FILTER_FULL_FILTER_H_
#define ASHLAR_TABLE_FILTER_FULL_FILTER_H_

#include <memory>

#include "ashlar/table/options.h"
#include "ashlar/table/table_properties.h"
#include "ashlar/util/prefix_extractor.h"
#include "ashlar/util/slice.h"
#include "table/filter/filter_bits.h"

namespace ashlar::internal {

class KeyFilterBuilder {
 public:
  // Not for FilterType::kNone. The options must outlive it.
  explicit KeyFilterBuilder(const TableOptions& options)
      : prefixes_(options.prefix_extractor.get()),
        whole_keys_(options.whole_key_filtering),
        bits_(options.filter, options.bloom_bits_per_key,
              options.optimize_filters_for_memory,
              options.detect_filter_construct_corruption ? HashGuard::kOn
                                                         : HashGuard::kOff) {}

  // In key order; versions of one user key need not all be given.
  void AddKey(const Slice& user_key) {
    if (prefixes_ == nullptr && whole_keys_) [[likely]] {
      bits_.Add(HashForFilter(user_key));
    } else {
      AddKeyAndPrefix(user_key);
    }
  }

  FilterBitsBuilder& bits() { return bits_; }
  const FilterBitsBuilder& bits() const { return bits_; }

 private:
  void AddKeyAndPrefix(const Slice& user_key);

  const PrefixExtractor* const prefixes_;
  const bool whole_keys_;
  FilterBitsBuilder bits_;
};

class FilterSubject {
 public:
  // Nothing may be asked.
  FilterSubject() = default;
  // `given` may be null: then the built-in extractor that the file names. One
  // of another name than the file's is of no use for it.
  FilterSubject(const TableProperties& properties,
                std::shared_ptr<const PrefixExtractor> given);

  bool whole_keys() const { return whole_keys_; }
  // Null where prefixes may not be asked for.
  const PrefixExtractor* prefixes() const { return prefixes_.get(); }
  bool any() const { return whole_keys_ || prefixes_ != nullptr; }

  // The bytes to ask the filter about, before this user key is looked up.
  // False where the filter cannot know.
  bool OfKey(const Slice& user_key, Slice* bytes) const {
    if (whole_keys_) {
      *bytes = user_key;
      return true;
    }
    return OfPrefix(user_key, bytes);
  }
  // The same before the keys with the prefix of this one are walked.
  bool OfPrefix(const Slice& user_key, Slice* bytes) const;

 private:
  bool whole_keys_ = false;
  std::shared_ptr<const PrefixExtractor> prefixes_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_FULL_FILTER_H_
