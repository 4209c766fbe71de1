// Options as text: RocksDB's option strings and OPTIONS files, and our own.
//
//   block_size=16384;filter_policy=bloomfilter:10:false;compression=kZSTD
//
// An option string is a list of name=value, with ';' between them. Names are
// those of the rows of TableOptions, BuildOptions and ReaderOptions
// (table/option_table.h), and those of RocksDB's "BlockBasedTableOptions" and
// "ColumnFamilyOptions". A value in braces is a list of members:
//
//   compression_opts={level=7;max_dict_bytes=16K};compression_opts.level=7
//
// RocksDB's "block_based_table_factory" has the options of its tables so.
// Numbers are decimal, and may end with K, M, G or T, for powers of 1024.
// Switches are true, false, 1 or 0. Enumerators have RocksDB's names, such as
// kZSTD. What concerns no table, such as "write_buffer_size", is left out.
// Values mean what they mean in RocksDB. What Ashlar does not have at all, such
// as a "compression_manager", is an error.
//
// RocksDB may use another codec for each level. Ashlar takes the one of the
// last level, as RocksDB does for files to be ingested:
// "bottommost_compression" if it is set, else the last of
// "compression_per_level" if it has any, else "compression". A Ribbon filter is
// likewise one of the last level.
//
// What is read is not validated: the call that takes the options does that.
// Errors name the option and where it is. Functions: thread-safe.
#ifndef ASHLAR_TABLE_OPTION_STRINGS_H_
#define ASHLAR_TABLE_OPTION_STRINGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/options.h"
#include "ashlar/util/export.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"

namespace ashlar {

// All options that a text can set.
struct OptionSet {
  TableOptions table;
  BuildOptions build;
  ReaderOptions reader;
};

// What happens to options that neither Ashlar nor RocksDB 11.8 has, and to
// objects that are not built in.
struct OptionTextRules {
  // Whether they are left out. Default: false, they are InvalidArgument or
  // NotSupported.
  bool ignore_unknown = false;
  // With ignore_unknown: receives the names of those that were left out, and
  // why, such as "line 7: block_sise: no such option". Null, the default: no
  // list is made.
  std::vector<std::string>* ignored = nullptr;
};

// Set *set from an option string, and leave all else of it as it is. If there
// is an error, *set is unchanged. Return InvalidArgument for text that is no
// option string, for names that are unknown and for values that are not
// allowed; NotSupported for objects that are not built in; MemoryLimit.
ASHLAR_EXPORT Status OptionsFromString(std::string_view text, OptionSet* set,
                                       const OptionTextRules& rules = {});
// Sets *options to those of `base` with what the text says. Options of the text
// that concern only the build or the reader are checked and then left out.
ASHLAR_EXPORT Status TableOptionsFromString(const TableOptions& base,
                                            std::string_view text,
                                            TableOptions* options,
                                            const OptionTextRules& rules = {});

// For whom a string is written.
enum class OptionTextForm : uint8_t {
  kAshlar,  // every option, by our names: for OptionsFromString
  // For RocksDB's "GetBlockBasedTableOptionsFromString". Options that RocksDB
  // has for a column family, such as the codec, are left out.
  kRocksDBTable,
  kRocksDBFamily,  // for its "GetColumnFamilyOptionsFromString"
};

// Returns the options as a string. Returns InvalidArgument for values out of
// their bounds, if they count; NotSupported for an object that is not built in,
// since no text names it, and for embedded blobs in a form of RocksDB's, which
// has no text for them.
ASHLAR_EXPORT Result<std::string> StringFromTableOptions(
    const TableOptions& options, OptionTextForm form = OptionTextForm::kAshlar);

// Returns every option that OptionsFromString sets, as a string of our own
// form: it makes the same of default options. Objects that only say where work
// is done or counted are left out: caches, pools, limiters, clocks, statistics,
// tracers. So are external_file, which a text cannot set, and a value that
// counts for nothing and is out of its bounds. Returns InvalidArgument for
// other values out of their bounds; NotSupported for other objects that no text
// names, for a comparator or prefix extractor of tables that is not that of
// readers, and for a text that would not be read as it is.
ASHLAR_EXPORT Result<std::string> StringFromOptions(const OptionSet& set);

// Sets *set from the text of an OPTIONS file that a RocksDB database keeps:
// from the sections "CFOptions" and "TableOptions/BlockBasedTable" of one
// column family. An option that the file does not have gets the value of the
// releases that did not have it either. Then does what RocksDB does before it
// builds a table: clips the compression level to those of the codec, and turns
// off what does not go with the rest, such as partition_filters without a
// two-level index. Of BuildOptions sets merge_operator_name, num_levels and
// parallel_threads. Errors as OptionsFromString, with the number of the line;
// also InvalidArgument if the file has no such family, and NotSupported if its
// tables are not block-based.
//
// The file does not say which comparator the tables have if RocksDB was opened
// with a comparator of the application: then this is NotSupported.
ASHLAR_EXPORT Status OptionsFromFileText(std::string_view text,
                                         std::string_view family,
                                         OptionSet* set,
                                         const OptionTextRules& rules = {});
// Does the same with a file. If `path` is a folder, takes its OPTIONS file with
// the largest number, as RocksDB does. Also returns IOError. Errors name the
// file.
ASHLAR_EXPORT Status LoadOptionsFile(const std::string& path,
                                     std::string_view family, OptionSet* set,
                                     const OptionTextRules& rules = {});

}  // namespace ashlar

#endif  // ASHLAR_TABLE_OPTION_STRINGS_H_
