// Includes the header of liburing: nobody else does. Internal.

#ifndef ASHLAR_THIRD_PARTY_URING_LIB_H_
#define ASHLAR_THIRD_PARTY_URING_LIB_H_

// It is C, which pedantic warnings of C++ do not suit.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#include <liburing.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif  // ASHLAR_THIRD_PARTY_URING_LIB_H_
