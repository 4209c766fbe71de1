// Keys and their order for the reference reader: FORMAT.md, section 6. Also
// their prefixes, section 9.4.
//
// Only the reference reader uses this. The functions are pure and throw on any
// fault.
#ifndef ASHLAR_TEST_SUPPORT_REFERENCE_KEYS_H_
#define ASHLAR_TEST_SUPPORT_REFERENCE_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "test/support/reference_reader.h"

namespace ashlar::testing::reference {

// Throws "not supported: .." for a comparator that is not built in.
ReferenceOrder OrderOf(const std::string& comparator_name);

// The user keys include timestamps if the order has them.
int CompareUserKeys(const ReferenceOrder& order, std::string_view a,
                    std::string_view b);
int CompareInternalKeys(const ReferenceOrder& order, std::string_view a,
                        std::string_view b);

// The parts of an internal key.
std::string_view UserKey(std::string_view internal_key);
uint64_t Tail64(std::string_view internal_key);
std::string InternalKey(std::string_view user_key, uint64_t sequence,
                        uint8_t type);

// Returns a user key without its timestamp.
std::string_view WithoutTimestamp(const ReferenceOrder& order,
                                  std::string_view user_key);

// Returns the prefix by a built-in extractor. Returns nothing if the key is not
// in its domain, or if the extractor is absent or unknown.
std::optional<std::string> PrefixOf(const std::string& extractor_name,
                                    std::string_view key);
bool IsBuiltinExtractor(const std::string& name);

}  // namespace ashlar::testing::reference

#endif  // ASHLAR_TEST_SUPPORT_REFERENCE_KEYS_H_
