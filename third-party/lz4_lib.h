// Includes the headers of lz4: nobody else does. Internal.

#ifndef ASHLAR_THIRD_PARTY_LZ4_LIB_H_
#define ASHLAR_THIRD_PARTY_LZ4_LIB_H_

#include <lz4.h>
#include <lz4hc.h>

#endif  // ASHLAR_THIRD_PARTY_LZ4_LIB_H_
