// OptionsFile: the text of a RocksDB OPTIONS file, by section.
//
// RocksDB's own reader makes objects of what it knows, and silently leaves out
// what it does not know, such as a compaction filter of the application. A
// compaction without that filter would be wrong. So the names must be seen as
// they are written. Plain values.
#ifndef ASHLAR_PLUGIN_COMPACTION_JOBS_OPTIONS_FILE_H_
#define ASHLAR_PLUGIN_COMPACTION_JOBS_OPTIONS_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "ashlar/util/status.h"
#include "compaction_job.h"

namespace ashlar_rocksdb {

// Sets *options to those of the database and of one column family. `name` is
// that of the file, for messages. Returns Corruption if a line is neither a
// section nor an option, and NotFound if the column family is not in the file.
ashlar::Status ReadOptionsText(std::string_view text, const std::string& name,
                               const std::string& column_family,
                               JobOptions* options);

// Returns the name of the object that an option's text stands for, or an empty
// string if that is none: "{id=Name;x=1}" and "Name" are "Name", "nullptr" is
// none.
std::string ObjectNameOf(const OptionTexts& options, const std::string& option);
// The same for an option that is a list of objects, in its order:
// "{id=A;x=1:B}" is "A" and "B".
std::vector<std::string> ObjectNamesOf(const OptionTexts& options,
                                       const std::string& option);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_COMPACTION_JOBS_OPTIONS_FILE_H_
