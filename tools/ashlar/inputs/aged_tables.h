// The inputs of a compaction, by age.
//
// They are named with the oldest first. Sequence numbers say which version of a
// key is newer, so the order counts only where there are none: the entries of a
// table for ingestion all have number 0. As IngestExternalFile would, each such
// table gets a number above those of all tables before it. A table behind it
// must have larger numbers: else its entries would be taken for older ones.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_AGED_TABLES_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_AGED_TABLES_H_

#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/rate_limiter.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/inputs/inputs.h"

namespace ashlar::tool {

struct AgedTable {
  std::string path;
  // Null, with the reason in `status`, if the table cannot take part.
  std::unique_ptr<TableReader> reader;
  Status status;
};

// Opens the tables, and gives numbers to those for ingestion. Opens all, also
// after an error. Once one has failed, no table gets a number, since the others
// are opened only to find what is wrong with them. A comparator other than that
// of the first table is InvalidArgument. `limiter` may be null.
std::vector<AgedTable> OpenAgedTables(
    const std::vector<Input>& inputs,
    const std::shared_ptr<RateLimiter>& limiter);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_AGED_TABLES_H_
