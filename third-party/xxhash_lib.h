// Includes the headers of xxHash: nobody else does. Internal.
//
// With the dispatching header, XXH3_64bits and its kin choose the code path of
// the running CPU. Where it is not installed, the library's baseline path
// (SSE2 on amd64) serves.

#ifndef ASHLAR_THIRD_PARTY_XXHASH_LIB_H_
#define ASHLAR_THIRD_PARTY_XXHASH_LIB_H_

#include <xxhash.h>

#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif

#endif  // ASHLAR_THIRD_PARTY_XXHASH_LIB_H_
