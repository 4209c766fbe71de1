// Codecs and filters that go wrong, as with a broken library or faulty memory.
//
// In a program that links with `--wrap` of the three functions of
// spoiled_build.cc, a Spoiler changes the work of each codec and filter.
// Without a Spoiler they work as usual.
#ifndef ASHLAR_TEST_SUPPORT_SPOILED_BUILD_H_
#define ASHLAR_TEST_SUPPORT_SPOILED_BUILD_H_

#include <functional>

#include "ashlar/util/slice.h"
#include "table/filter/hash_collector.h"
#include "util/compress/codec.h"
#include "util/mem/buffer.h"

namespace ashlar::testing {

// An empty function does nothing. Any thread that compresses or builds filters
// may call these, so they must not change shared state.
struct Spoiler {
  // Replaces the codec's Compress. Returns the number of bytes of the payload.
  std::function<size_t(internal::Compressor* codec, const Slice& raw, char* out,
                       size_t capacity)>
      compress;
  // Called before a filter is built from the hashes, and after it.
  std::function<void(const internal::HashCollector& hashes)> before_filter;
  std::function<void(const internal::HashCollector& hashes, char* payload,
                     size_t size)>
      after_filter;
};

// All threads use this Spoiler as long as the object lives. Requires that no
// other Spoiling exists.
class Spoiling {
 public:
  explicit Spoiling(Spoiler wanted);
  Spoiling(const Spoiling&) = delete;
  Spoiling& operator=(const Spoiling&) = delete;
  ~Spoiling();

 private:
  const Spoiler spoiler_;
};

// Flips the bits `mask` of the first collected hash equal to `hash`, as faulty
// memory does. Returns false if there is no such hash.
bool FlipHash(const internal::HashCollector& hashes, uint64_t hash,
              uint64_t mask);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_SPOILED_BUILD_H_
