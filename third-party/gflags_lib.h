// Includes the headers of gflags: nobody else does. For tools/ only.

#ifndef ASHLAR_THIRD_PARTY_GFLAGS_LIB_H_
#define ASHLAR_THIRD_PARTY_GFLAGS_LIB_H_

#include <gflags/gflags.h>

#endif  // ASHLAR_THIRD_PARTY_GFLAGS_LIB_H_
