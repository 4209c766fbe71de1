// What a table's properties say before its first entry: options and identity.
#ifndef ASHLAR_TABLE_WRITE_INITIAL_PROPERTIES_H_
#define ASHLAR_TABLE_WRITE_INITIAL_PROPERTIES_H_

#include "ashlar/table/entry/table_identity.h"
#include "ashlar/table/options.h"
#include "ashlar/table/table_properties.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

Status ValidateBuildOptions(const BuildOptions& options);

// Fills in all that is missing: afterwards every optional has a value.
TableIdentity CompleteIdentity(TableIdentity identity);

// `identity` must be complete.
TableProperties InitialProperties(const TableOptions& table_options,
                                  const BuildOptions& build_options,
                                  const TableIdentity& identity);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_INITIAL_PROPERTIES_H_
