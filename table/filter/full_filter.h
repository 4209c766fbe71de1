// What of a user key is in a filter: the whole key, its prefix, or both.
//
// KeyFilterBuilder feeds a filter while a table is built; the partitioned
// filter does the same, partition by partition. FilterSubject is the reading
// side: what a file's filter may be asked. Neither is called once per block.
//
// A builder belongs to one thread. A subject never changes: thread-safe.
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
  // Requires: options.filter is not kNone, and the options outlive this.
  explicit KeyFilterBuilder(const TableOptions& options)
      : prefixes_(options.prefix_extractor.get()),
        whole_keys_(options.whole_key_filtering),
        bits_(BitsFor(options)),
        only_hashes_(prefixes_ == nullptr && whole_keys_ &&
                     bits_.custom() == nullptr) {}

  // Adds a user key (without timestamp). Requires: keys come in order. Versions
  // of one key need not all be added.
  void AddKey(const Slice& user_key) {
    if (only_hashes_) [[likely]] {
      bits_.Add(HashForFilter(user_key));
    } else {
      AddKeyAndPrefix(user_key);
    }
  }

  // Adds the prefix of the user key, as a key that has it would. Without a
  // prefix it does nothing.
  void AddPrefixOf(const Slice& user_key);

  FilterBitsBuilder& bits() { return bits_; }
  const FilterBitsBuilder& bits() const { return bits_; }

 private:
  static FilterBitsBuilder BitsFor(const TableOptions& options);
  void AddKeyAndPrefix(const Slice& user_key);

  const PrefixExtractor* const prefixes_;
  const bool whole_keys_;
  FilterBitsBuilder bits_;
  const bool only_hashes_;  // of whole keys
};

class FilterSubject {
 public:
  // The filter may be asked nothing.
  FilterSubject() = default;
  // What a filter of a file with these properties may be asked. If `given` is
  // null, the built-in extractor that the file names is used. One with another
  // name than the file's is of no use.
  FilterSubject(const TableProperties& properties,
                std::shared_ptr<const PrefixExtractor> given);

  bool whole_keys() const { return whole_keys_; }
  // Returns null if prefixes may not be asked for.
  const PrefixExtractor* prefixes() const { return prefixes_.get(); }
  bool any() const { return whole_keys_ || prefixes_ != nullptr; }

  // Sets *bytes to what to ask the filter before this user key is looked up.
  // Returns false if the filter cannot know.
  bool OfKey(const Slice& user_key, Slice* bytes) const {
    if (whole_keys_) {
      *bytes = user_key;
      return true;
    }
    return OfPrefix(user_key, bytes);
  }
  // The same before a walk over the keys with the prefix of this one.
  bool OfPrefix(const Slice& user_key, Slice* bytes) const;

 private:
  bool whole_keys_ = false;
  std::shared_ptr<const PrefixExtractor> prefixes_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_FULL_FILTER_H_
