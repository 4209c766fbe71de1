// The table of options: one row for each option whose value is a switch, a
// number, one of a list of names, or a name.
//
// A row says what the option is called, where it is stored, which values it may
// have, which release of RocksDB reads a table that uses it, and where a table
// records it. TableOptions::Validate, TableBuilder::Create and
// TableReader::Open check options by these rows. A program that takes options
// as flags or as text, or copies them from a table, can walk the same rows.
//
// A rule about several options is no row: TableOptions::Validate has it as a
// function of its own. Objects with a name that may be built in (comparator,
// prefix_extractor) have a row whose value is the name. Other objects and lists
// have none: flush_block_policy_factory, codec, codecs, filter_policy,
// filter_policies, target_rocksdb, worker_pool, user_properties,
// table_properties_collector_factories, seqno_to_time, block_cache,
// cache_usage_options, statistics and block_cache_tracer. ReadOptions have none
// either: a read checks nothing that takes time.
//
// Constants and pure functions: thread-safe.
#ifndef ASHLAR_TABLE_OPTION_TABLE_H_
#define ASHLAR_TABLE_OPTION_TABLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "ashlar/table/entry/rocksdb_release.h"
#include "ashlar/table/options.h"
#include "ashlar/table/table_properties.h"
#include "ashlar/util/export.h"
#include "ashlar/util/status.h"

namespace ashlar {

// The value of an option. An enumerator is its number, as uint32_t. An object
// with a name, such as a comparator, is its name. std::monostate stands for an
// optional value that is absent.
using OptionValue = std::variant<std::monostate, bool, int, uint32_t, uint64_t,
                                 double, std::string_view>;

// Which alternative of OptionValue the values of an option are. The numbers are
// indexes of the alternatives.
enum class OptionKind : uint8_t {
  kBool = 1,
  kInt,
  kUint32,
  kUint64,
  kDouble,
  kText,
};

// Which values are allowed. min and max are of the option's kind, and are
// allowed themselves. std::monostate: not bounded.
struct OptionBounds {
  OptionValue min;
  OptionValue max;
  // Whether only 0 and powers of two are allowed. For kUint64 only.
  bool power_of_two = false;
  // The names of the numbers from 0 on, if the option is an enumeration.
  std::span<const std::string_view> names = {};
};

// Where an option is stored, and which values it may have.
template <typename Options>
struct OptionMember {
  OptionKind kind;
  OptionValue (*get)(const Options& options);
  // Sets the option to a value of its kind. Returns false, and changes nothing,
  // if no object of that name is built in. Does not check the bounds; SetOption
  // does.
  bool (*set)(const OptionValue& value, Options* options);
  OptionBounds bounds = {};
};

// Values of at least `value` are read by this release of RocksDB and later
// ones.
struct OptionSince {
  OptionValue value;
  RocksDBRelease release;
};

// Where a table shows the value of an option, if no property records it.
enum class OptionOrigin : uint8_t {
  kFooter,      // the format version
  kDataBlocks,  // the block size: a guess from the sizes of blocks
  // Whether there are embedded blobs, by a user-collected property; and the
  // size of the smallest of them.
  kEmbeddedBlobs,
  kBlobSizes,
};

// From where a copy of a table takes over the option. std::monostate: from
// nowhere; a copy has the value that its maker chooses.
struct OptionSource {
  std::variant<std::monostate, uint64_t TableProperties::*,
               std::string TableProperties::*, OptionOrigin>
      from = {};
  // The value of the property that stands for "not recorded" or "none".
  OptionValue unknown = {};
};

// Which of RocksDB's structs has the option, under the same name. Texts for
// RocksDB (table/option_strings.h) go by it.
enum class OptionHome : uint8_t {
  kAshlar,  // none
  kTable,   // "BlockBasedTableOptions"
  kFamily,  // "ColumnFamilyOptions"
};

// All that is known about one option.
template <typename Options>
struct OptionRow {
  // As in messages: "block_size", "compression_opts.level".
  std::string_view name;
  OptionHome home = OptionHome::kAshlar;
  OptionMember<Options> member;
  // Returns whether the bounds count, given the other options. Null: always.
  bool (*counts)(const Options& options) = nullptr;
  // Ascending. Empty: every release that reads the format version reads it.
  std::span<const OptionSince> since = {};
  OptionSource kept = {};
};

// Return the rows, in the order of the fields.
ASHLAR_EXPORT std::span<const OptionRow<TableOptions>> TableOptionRows();
ASHLAR_EXPORT std::span<const OptionRow<BuildOptions>> BuildOptionRows();
ASHLAR_EXPORT std::span<const OptionRow<ReaderOptions>> ReaderOptionRows();

// Returns the row of that name, or null.
template <typename Options>
constexpr const OptionRow<Options>* FindOption(
    std::span<const OptionRow<Options>> rows, std::string_view name) {
  for (const OptionRow<Options>& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// Returns whether the value is allowed. std::monostate is. Requires: the value
// is of the kind of the bounds.
ASHLAR_EXPORT bool IsWithin(const OptionBounds& bounds,
                            const OptionValue& value);

// Returns the bounds in words: "1 to 268435456", "0 or more". Empty if there
// are none. May throw std::bad_alloc.
ASHLAR_EXPORT std::string DescribeBounds(const OptionBounds& bounds);

// Returns the value as text; a number that has a name in `bounds` as its name.
// May throw std::bad_alloc.
ASHLAR_EXPORT std::string DescribeValue(const OptionBounds& bounds,
                                        const OptionValue& value);

// Set an option. A number is converted to the option's kind if it fits, a name
// of `bounds.names` to its number. Return InvalidArgument for a value that does
// not fit or is not allowed, and NotSupported for the name of an object that is
// not built in; *options is then unchanged. Do not look at `counts`, nor at
// other options: Validate does.
ASHLAR_EXPORT Status SetOption(const OptionRow<TableOptions>& row,
                               const OptionValue& value, TableOptions* options);
ASHLAR_EXPORT Status SetOption(const OptionRow<BuildOptions>& row,
                               const OptionValue& value, BuildOptions* options);
ASHLAR_EXPORT Status SetOption(const OptionRow<ReaderOptions>& row,
                               const OptionValue& value,
                               ReaderOptions* options);

// Returns what the properties record: a uint64_t or a name. Returns
// std::monostate if they record nothing, or if the source is no property. The
// name lives as long as the properties.
ASHLAR_EXPORT OptionValue RecordedValue(const OptionSource& source,
                                        const TableProperties& properties);

// Returns the oldest release of RocksDB that reads a table with this value of
// an option. Returns nothing if all do that read the format version. A value of
// another kind than those in `since` is converted.
ASHLAR_EXPORT std::optional<RocksDBRelease> OldestReleaseFor(
    std::span<const OptionSince> since, const OptionValue& value);

namespace internal {

// Return InvalidArgument for the first option that is out of its bounds. May
// throw std::bad_alloc.
Status CheckBounds(const TableOptions& options);
Status CheckBounds(const BuildOptions& options);
Status CheckBounds(const ReaderOptions& options);

}  // namespace internal

}  // namespace ashlar

#endif  // ASHLAR_TABLE_OPTION_TABLE_H_
