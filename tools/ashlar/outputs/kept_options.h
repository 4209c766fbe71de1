// What a table that is written anew has of the one it is made of.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_KEPT_OPTIONS_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_KEPT_OPTIONS_H_

#include "ashlar/table/table_properties.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/outputs/table_sink.h"

namespace ashlar::tool {

// NotSupported for a table whose entries mean nothing in another.
Status CheckCanBeCopied(const TableProperties& properties);

// Unless the flags give them: the format version that the footer tells (what
// the properties say may be 0 in files of old releases), and a block size as
// the file at `path` has it. Warns of a version that is not written.
void KeepForm(const CommandLine& line, const std::string& path,
              uint32_t format_version, TableOptions* table);

// Changes options that the flags do not give: restart intervals, prefix
// extractor, form of the values; and in any case takes over times, column
// family, merge operator and what users put among the properties. Warns of what
// is lost. The order of the keys, and whether the file is for ingestion, are
// left to the caller.
void KeepOptions(const CommandLine& line, const std::string& path,
                 const TableProperties& properties, SinkOptions* options);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_KEPT_OPTIONS_H_
