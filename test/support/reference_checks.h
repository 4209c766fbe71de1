// What must hold between the parts of a table, for the reference reader:
// filters, prefixes, counts, timestamps and values against the entries.
//
// Used by the reference reader alone. Throws on any fault.
#ifndef ASHLAR_TEST_SUPPORT_REFERENCE_CHECKS_H_
#define ASHLAR_TEST_SUPPORT_REFERENCE_CHECKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "test/support/reference_bytes.h"
#include "test/support/reference_reader.h"

namespace ashlar::testing::reference {

// Two separators of the index, and one with an internal key.
int CompareSeparators(const ReferenceTable& table, std::string_view a,
                      std::string_view b);
int CompareSeparator(const ReferenceTable& table, std::string_view separator,
                     std::string_view internal_key);

// A property by its name without "rocksdb."; null where there is none.
const std::string* FindProperty(const ReferenceTable& table,
                                const std::string& name);
std::optional<uint64_t> FindVarintProperty(const ReferenceTable& table,
                                           const std::string& name);

// Whether the filter, or its part for this internal key, lets `bytes` pass,
// which are a key or a prefix. Only where there is a filter of keys.
bool FilterMayMatchAt(const ReferenceTable& table,
                      std::string_view internal_key, std::string_view bytes);

// The blobs in its own table that a value of this type refers to; section 6.3.
// Throws where the value is not of the form that its type has.
std::vector<Handle> EmbeddedBlobs(uint8_t type, std::string_view value);

void CheckReferenceTable(const ReferenceTable& table);

}  // namespace ashlar::testing::reference

#endif  // ASHLAR_TEST_SUPPORT_REFERENCE_CHECKS_H_
