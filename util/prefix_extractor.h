// PrefixExtractor: defines the prefix of a user key. RocksDB calls the class
// "SliceTransform".
//
// Filters can hold prefixes, with or without whole keys. Files store the
// extractor's name, and the prefixes of a filter are only used with an
// extractor of the same name. Iterators with prefix_same_as_start use any
// extractor. RocksDB's hash index finds blocks by prefix too; Ashlar writes
// that index, and searches it like any other. Pass your own extractor in the
// options of builders and readers.
//
// Thread safety: builders and readers call an extractor from any number of
// threads at once, so an implementation must be stateless or synchronise
// itself.
#ifndef ASHLAR_UTIL_PREFIX_EXTRACTOR_H_
#define ASHLAR_UTIL_PREFIX_EXTRACTOR_H_

#include <cstddef>
#include <memory>
#include <string_view>

#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"

namespace ashlar {

class ASHLAR_EXPORT PrefixExtractor {
 public:
  virtual ~PrefixExtractor();

  // Returns the name, which files store as rocksdb.prefix.extractor.name.
  // Change it whenever the result of Transform or InDomain changes for any key.
  // The text must live as long as the extractor.
  virtual std::string_view Name() const = 0;

  // Returns whether the key has a prefix.
  virtual bool InDomain(const Slice& user_key) const = 0;

  // Returns the prefix: any number of the key's first bytes. The result points
  // into `user_key`. Requires: InDomain(user_key).
  virtual Slice Transform(const Slice& user_key) const = 0;
};

// Returns the extractor "rocksdb.FixedPrefix.<n>": the first `n` bytes. Keys
// that are shorter have no prefix. May throw std::bad_alloc, like all functions
// below.
ASHLAR_EXPORT std::shared_ptr<const PrefixExtractor> NewFixedPrefixExtractor(
    size_t n);

// Returns the extractor "rocksdb.CappedPrefix.<n>": the first `n` bytes, or the
// whole key if it is shorter.
ASHLAR_EXPORT std::shared_ptr<const PrefixExtractor> NewCappedPrefixExtractor(
    size_t n);

// Returns the extractor "rocksdb.Noop": the whole key.
ASHLAR_EXPORT std::shared_ptr<const PrefixExtractor> NewNoopPrefixExtractor();

// Returns the built-in extractor of that name, or null.
ASHLAR_EXPORT std::shared_ptr<const PrefixExtractor> FindBuiltinPrefixExtractor(
    std::string_view name);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_PREFIX_EXTRACTOR_H_
