// Which options a rewritten table takes over from its input.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_KEPT_OPTIONS_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_KEPT_OPTIONS_H_

#include <cstdint>
#include <string>

#include "ashlar/table/table_properties.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/outputs/table_sink.h"

namespace ashlar::tool {

// The table that is copied.
struct OldTable {
  std::string path;
  // As the footer says. The properties of files of old releases may say 0.
  uint32_t format_version;
  const TableProperties* properties;  // null: they are lost
};

// Takes over from the old table each option whose row says from where
// (OptionRow::kept), unless a flag gives it. With --target_rocksdb, leaves out
// what that release does not read, and the format version, which the target
// chooses. Also takes over user properties. Prints a warning for each option
// that is lost. The caller sets the order of the keys, and whether the file is
// for ingestion.
void KeepOptions(const CommandLine& line, const OldTable& old,
                 SinkOptions* options);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_KEPT_OPTIONS_H_
