// Which options a rewritten table takes over from its input.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_KEPT_OPTIONS_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_KEPT_OPTIONS_H_

#include "ashlar/table/table_properties.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/outputs/table_sink.h"

namespace ashlar::tool {

// Returns NotSupported if the table's entries would mean nothing in another
// table.
Status CheckCanBeCopied(const TableProperties& properties);

// Sets two options, unless the flags give them: the format version to
// `format_version`, and the block size to that of the file at `path`. The
// version is the footer's, because the properties of files of old releases may
// say 0. Warns if that version cannot be written.
void KeepForm(const CommandLine& line, const std::string& path,
              uint32_t format_version, TableOptions* table);

// Takes over options from the input. Unless flags give them: restart intervals,
// prefix extractor, form of the values. In any case: times, column family,
// merge operator, and user properties. Warns of what is lost. The caller sets
// the order of the keys, and whether the file is for ingestion.
void KeepOptions(const CommandLine& line, const std::string& path,
                 const TableProperties& properties, SinkOptions* options);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_KEPT_OPTIONS_H_
