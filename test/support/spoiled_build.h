// Codecs and filters that go wrong, as with a broken library or faulty memory.
//
// A program that links with `--wrap` of the three functions of spoiled_build.cc
// builds tables with what a Spoiler makes of each codec's and filter's work.
// Without a Spoiler everything works as ever.
#ifndef ASHLAR_TEST_SUPPORT_SPOILED_BUILD_H_
#define ASHLAR_TEST_SUPPORT_SPOILED_BUILD_H_

#include <functional>

#include "ashlar/util/slice.h"
#include "table/filter/hash_collector.h"
#include "util/compress/codec.h"
#include "util/mem/buffer.h"

namespace ashlar::testing {

// Each function may be empty: then nothing happens there. Called by any thread
// that compresses or builds filters, so it must not change what it shares.
struct Spoiler {
  // In place of the codec's Compress; returns the bytes of the payload.
  std::function<size_t(internal::Compressor* codec, const Slice& raw, char* out,
                       size_t capacity)>
      compress;
  // Before a filter is built of the hashes, and after it.
  std::function<void(const internal::HashCollector& hashes)> before_filter;
  std::function<void(const internal::HashCollector& hashes, char* payload,
                     size_t size)>
      after_filter;
};

// From its making to its end this Spoiler is in use, by all threads. Not while
// another one is.
class Spoiling {
 public:
  explicit Spoiling(Spoiler wanted);
  Spoiling(const Spoiling&) = delete;
  Spoiling& operator=(const Spoiling&) = delete;
  ~Spoiling();

 private:
  const Spoiler spoiler_;
};

// Changes the bits `mask` of the first collected hash that is `hash`, as faulty
// memory does. Returns whether there was one.
bool FlipHash(const internal::HashCollector& hashes, uint64_t hash,
              uint64_t mask);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_SPOILED_BUILD_H_
