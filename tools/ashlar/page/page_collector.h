// Reads a table for its TableReport.
#ifndef ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_COLLECTOR_H_
#define ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_COLLECTOR_H_

#include <string>

#include "tools/ashlar/page/page_data.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

// Verifies the checksums of all blocks, and decodes --sample of the data
// blocks, including the first and the last. Returns false if there is nothing
// to show; `report` then has the reason. Otherwise `report` has every fault.
bool CollectTableReport(const std::string& path, TableReport* table,
                        Report* report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_COLLECTOR_H_
