// Includes the headers of bzip2: nobody else does. Internal.

#ifndef ASHLAR_THIRD_PARTY_BZIP2_LIB_H_
#define ASHLAR_THIRD_PARTY_BZIP2_LIB_H_

#include <bzlib.h>

#endif  // ASHLAR_THIRD_PARTY_BZIP2_LIB_H_
