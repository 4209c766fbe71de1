// Includes the headers of snappy: nobody else does. Internal.

#ifndef ASHLAR_THIRD_PARTY_SNAPPY_LIB_H_
#define ASHLAR_THIRD_PARTY_SNAPPY_LIB_H_

#include <snappy-sinksource.h>
#include <snappy.h>

#endif  // ASHLAR_THIRD_PARTY_SNAPPY_LIB_H_
