// Includes the headers of zlib: nobody else does. Internal.

#ifndef ASHLAR_THIRD_PARTY_ZLIB_LIB_H_
#define ASHLAR_THIRD_PARTY_ZLIB_LIB_H_

// Input pointers are const, as the library treats them.
#define ZLIB_CONST
#include <zlib.h>

#endif  // ASHLAR_THIRD_PARTY_ZLIB_LIB_H_
