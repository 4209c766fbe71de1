// Includes the headers of nlohmann-json: nobody else does. For tools/
// and plugin/compaction_jobs only.

#ifndef ASHLAR_THIRD_PARTY_JSON_LIB_H_
#define ASHLAR_THIRD_PARTY_JSON_LIB_H_

#include <nlohmann/json.hpp>

#endif  // ASHLAR_THIRD_PARTY_JSON_LIB_H_
