// Stands in for xxHash's choice of a code path by the running CPU, which
// Debian's archive of the library lacks, though its header declares it. Only
// the static program is linked with it, and has the baseline path then.
#include <xxhash.h>

extern "C" {

XXH64_hash_t XXH3_64bits_dispatch(const void* input, size_t size);
XXH64_hash_t XXH3_64bits_withSeed_dispatch(const void* input, size_t size,
                                           XXH64_hash_t seed);
XXH_errorcode XXH3_64bits_update_dispatch(XXH3_state_t* state,
                                          const void* input, size_t size);
XXH128_hash_t XXH3_128bits_dispatch(const void* input, size_t size);
XXH128_hash_t XXH3_128bits_withSeed_dispatch(const void* input, size_t size,
                                             XXH64_hash_t seed);

XXH64_hash_t XXH3_64bits_dispatch(const void* input, size_t size) {
  return XXH3_64bits(input, size);
}

XXH64_hash_t XXH3_64bits_withSeed_dispatch(const void* input, size_t size,
                                           XXH64_hash_t seed) {
  return XXH3_64bits_withSeed(input, size, seed);
}

XXH_errorcode XXH3_64bits_update_dispatch(XXH3_state_t* state,
                                          const void* input, size_t size) {
  return XXH3_64bits_update(state, input, size);
}

XXH128_hash_t XXH3_128bits_dispatch(const void* input, size_t size) {
  return XXH3_128bits(input, size);
}

XXH128_hash_t XXH3_128bits_withSeed_dispatch(const void* input, size_t size,
                                             XXH64_hash_t seed) {
  return XXH3_128bits_withSeed(input, size, seed);
}

}  // extern "C"
