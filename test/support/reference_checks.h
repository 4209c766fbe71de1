// Consistency checks of the reference reader: compares filters, prefixes,
// counts, timestamps and values of a table with its entries.
//
// Only the reference reader uses this. The functions throw on any fault.
#ifndef ASHLAR_TEST_SUPPORT_REFERENCE_CHECKS_H_
#define ASHLAR_TEST_SUPPORT_REFERENCE_CHECKS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "test/support/reference_bytes.h"
#include "test/support/reference_reader.h"

namespace ashlar::testing::reference {

// Compare two separators of the index, and a separator with an internal key.
int CompareSeparators(const ReferenceTable& table, std::string_view a,
                      std::string_view b);
int CompareSeparator(const ReferenceTable& table, std::string_view separator,
                     std::string_view internal_key);

// Returns a property by its name without "rocksdb.", or null if it is absent.
const std::string* FindProperty(const ReferenceTable& table,
                                const std::string& name);
std::optional<uint64_t> FindVarintProperty(const ReferenceTable& table,
                                           const std::string& name);

// Returns true if the filter, or its partition for this internal key, may match
// `bytes`, which is a user key or a prefix. Requires a filter of keys.
bool FilterMayMatchAt(const ReferenceTable& table,
                      std::string_view internal_key, std::string_view bytes);

// Returns the blobs inside the same table that a value of this type refers to
// (section 6.3). Throws if the value does not have the form of its type.
std::vector<Handle> EmbeddedBlobs(uint8_t type, std::string_view value);

// Replaces references to such blobs by the blobs, as a reader shows the entry.
void FollowEmbedded(const std::function<std::string(const Handle&)>& fetch,
                    ReferenceEntry* entry);

void CheckReferenceTable(const ReferenceTable& table);

}  // namespace ashlar::testing::reference

#endif  // ASHLAR_TEST_SUPPORT_REFERENCE_CHECKS_H_
