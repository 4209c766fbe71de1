// Dictionaries: bytes that the data blocks of one file are compressed against.
//
// The table builder has a dictionary made of samples
// (table/write/dictionary_sampler.h decides which). The table reader passes it
// to Decompressor. Nothing changes once it is made: any number of threads.
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

// Pieces of blocks, end to end, and the length of each one.
struct DictionarySamples {
  std::string bytes;
  std::vector<size_t> lengths;
};

// Returns how many bytes of samples these options need. 0: no dictionary.
size_t SampleBytesFor(CompressionType type, const CompressionOptions& options);

// Returns the dictionary. Empty if the samples give none.
std::string MakeDictionary(CompressionType type,
                           const CompressionOptions& options,
                           DictionarySamples samples);

// A dictionary as readers need it: digested once for each codec that needs
// that.
class DecompressionDictionary {
 public:
  // Copies the bytes. `types`: those of the blocks that may come.
  DecompressionDictionary(const Slice& bytes, const std::bitset<256>& types);

  Slice bytes() const { return bytes_; }
  CodecDictionary For(const Codec& codec) const;
  // Returns how many bytes of memory it takes beside this object.
  size_t memory_usage() const;

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
