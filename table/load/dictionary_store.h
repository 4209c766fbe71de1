// DictionaryStore: where the dictionary of a file's compression is kept if not
// in its BlockSource. DictionaryCache implements it.
//
// Any number of threads may ask a store. A handle belongs to one thread.
#ifndef ASHLAR_TABLE_LOAD_DICTIONARY_STORE_H_
#define ASHLAR_TABLE_LOAD_DICTIONARY_STORE_H_

#include <bitset>
#include <cstddef>

#include "ashlar/cache/typed_handle.h"
#include "ashlar/util/status.h"
#include "table/format/block_handle.h"
#include "util/compress/dictionary.h"

namespace ashlar::internal {

// What the block cache holds for a dictionary.
struct CachedDictionary {
  CachedDictionary(const BlockHandle& handle_in, const Slice& contents,
                   const std::bitset<256>& types)
      : handle(handle_in), dictionary(contents, types) {}

  size_t ApproximateMemoryUsage() const {
    return sizeof *this + dictionary.memory_usage();
  }

  const BlockHandle handle;
  const DecompressionDictionary dictionary;
};
using CachedDictionaryHandle = TypedHandle<CachedDictionary>;

class DictionaryStore {
 public:
  DictionaryStore() = default;
  DictionaryStore(const DictionaryStore&) = delete;
  DictionaryStore& operator=(const DictionaryStore&) = delete;
  virtual ~DictionaryStore() = default;

  // Makes *dictionary the dictionary, which lives as long as *held, or as this
  // if *held stays empty. Returns an error if it cannot be read.
  virtual Status Hold(CachedDictionaryHandle* held,
                      const DecompressionDictionary** dictionary) const = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_DICTIONARY_STORE_H_
