// Numbers that a user of a test sets in the environment: rounds and seeds.
#ifndef ASHLAR_TEST_PLUGIN_FROM_ENVIRONMENT_H_
#define ASHLAR_TEST_PLUGIN_FROM_ENVIRONMENT_H_

#include <cstdint>
#include <cstdlib>
#include <string>

namespace ashlar_rocksdb {

// Returns the number that the variable has, or `otherwise` if it is not set.
inline uint64_t NumberFromEnvironment(const char* variable,
                                      uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::stoull(text) : otherwise;
}

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_TEST_PLUGIN_FROM_ENVIRONMENT_H_
