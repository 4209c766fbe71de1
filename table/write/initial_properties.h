// What a table's properties say before its first entry: options and identity.
//
// Used by TableBuilder::Create. Thread-safe.
#ifndef ASHLAR_TABLE_WRITE_INITIAL_PROPERTIES_H_
#define ASHLAR_TABLE_WRITE_INITIAL_PROPERTIES_H_

#include <map>
#include <string>

#include "ashlar/table/entry/table_identity.h"
#include "ashlar/table/options.h"
#include "ashlar/table/table_properties.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

// Returns InvalidArgument, which names the field, if an option is not possible,
// and NotSupported if cache_usage_options is.
Status ValidateBuildOptions(const BuildOptions& options);

// Returns the identity with all that was missing filled in: afterwards every
// optional has a value.
TableIdentity CompleteIdentity(TableIdentity identity);

// Returns InvalidArgument if times descend while sequence numbers ascend.
Status CheckTimes(const std::map<SequenceNumber, uint64_t>& times);
// Returns the property rocksdb.seqno.time.map: each pair as the difference to
// the pair before; the first to (0, 0). Empty if there is no pair.
std::string EncodeTimes(const std::map<SequenceNumber, uint64_t>& times);

// Returns the properties as they are before the first entry. Requires:
// `identity` is complete.
TableProperties InitialProperties(const TableOptions& table_options,
                                  const BuildOptions& build_options,
                                  const TableIdentity& identity);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_INITIAL_PROPERTIES_H_
