// Includes the headers of zstd: nobody else does. Internal.

#ifndef ASHLAR_THIRD_PARTY_ZSTD_LIB_H_
#define ASHLAR_THIRD_PARTY_ZSTD_LIB_H_

#include <zdict.h>
#include <zstd.h>
#include <zstd_errors.h>

#endif  // ASHLAR_THIRD_PARTY_ZSTD_LIB_H_
