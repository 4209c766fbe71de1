// Dictionaries: bytes that the data blocks of one file are compressed against.
//
// The table builder has them made of samples (which ones, is decided by
// table/write/dictionary_sampler.h); the table reader passes them to
// Decompressor. All is constant once made: any number of threads.
#ifndef ASHLAR_UTIL_COMPRESS_DICTIONARY_H_
#define ASHLAR_UTIL_COMPRESS_DICTIONARY_H_

#include <bitset>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/util/compression.h"
#include "ashlar/util/slice.h"
#include "util/compress/registry.h"

namespace ashlar::internal {

// Pieces of blocks, end to end, and how long each one is.
struct DictionarySamples {
  std::string bytes;
  std::vector<size_t> lengths;
};

// How many bytes of samples these options want; 0: no dictionary.
size_t SampleBytesFor(CompressionType type, const CompressionOptions& options);

// The dictionary; empty where the samples give none.
std::string MakeDictionary(CompressionType type,
                           const CompressionOptions& options,
                           DictionarySamples samples);

// As readers need it: digested once for each codec that wants that.
class DecompressionDictionary {
 public:
  // `types`: of the blocks that may come. The bytes are copied.
  DecompressionDictionary(const Slice& bytes, const std::bitset<256>& types);

  Slice bytes() const { return bytes_; }
  CodecDictionary For(const Codec& codec) const;

 private:
  struct Digested {
    std::unique_ptr<DigestedDictionary> (*made_by)(const Slice&);
    std::unique_ptr<DigestedDictionary> dictionary;
  };

  const std::string bytes_;
  std::vector<Digested> digested_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_COMPRESS_DICTIONARY_H_
