// Whether a table is for ingestion, and which sequence numbers a table has.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_EXTERNAL_TABLE_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_EXTERNAL_TABLE_H_

#include <optional>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/status.h"

namespace ashlar::tool {

struct SequenceRange {
  SequenceNumber smallest = 0;
  SequenceNumber largest = 0;
};

// Finds the smallest and the largest sequence number of the table's entries; no
// range if it has none. Files of old releases do not record them: their entries
// are read, with progress. Returns the fault of the file, or Aborted if
// interrupted.
Status FindSequences(const TableReader& table, const std::string& path,
                     std::optional<SequenceRange>* range);

// Finds whether the table is for ingestion. It is not if it has been ingested,
// or if its entries already had sequence numbers. Errors as FindSequences.
Status FindIsExternal(const TableReader& table, const std::string& path,
                      bool* is_external);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_EXTERNAL_TABLE_H_
