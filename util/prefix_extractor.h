// PrefixExtractor: what of a user key is its prefix.
//
// Filters can hold prefixes beside whole keys or instead of them, and the hash
// index finds blocks by them. The name is stored in the file: prefixes are
// asked for only by an extractor of the same name. Implementations must be
// stateless or internally synchronised: builders and readers call them from
// any thread.
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

  // Stored as rocksdb.prefix.extractor.name. To change what Transform or
  // InDomain say of any key, change the name too.
  virtual std::string_view Name() const = 0;

  // Whether the key has a prefix at all.
  virtual bool InDomain(const Slice& user_key) const = 0;

  // The prefix of a key in the domain: its first bytes, as many as one likes.
  virtual Slice Transform(const Slice& user_key) const = 0;
};

// The first n bytes of keys that have so many, "rocksdb.FixedPrefix.<n>".
ASHLAR_EXPORT std::shared_ptr<const PrefixExtractor> NewFixedPrefixExtractor(
    size_t n);

// The first n bytes, or the whole key when it is shorter,
// "rocksdb.CappedPrefix.<n>".
ASHLAR_EXPORT std::shared_ptr<const PrefixExtractor> NewCappedPrefixExtractor(
    size_t n);

// The whole key, "rocksdb.Noop".
ASHLAR_EXPORT std::shared_ptr<const PrefixExtractor> NewNoopPrefixExtractor();

// The built-in extractor of that name, or null.
ASHLAR_EXPORT std::shared_ptr<const PrefixExtractor> FindBuiltinPrefixExtractor(
    std::string_view name);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_PREFIX_EXTRACTOR_H_
