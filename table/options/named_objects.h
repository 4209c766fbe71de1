// Objects that option texts name: filter policies, prefix extractors,
// comparators, flush block policies, merge operators, codecs.
//
// Each function reads or writes the value of one option. Errors do not name the
// option: the caller does. Thread-safe.
#ifndef ASHLAR_TABLE_OPTIONS_NAMED_OBJECTS_H_
#define ASHLAR_TABLE_OPTIONS_NAMED_OBJECTS_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/table/options.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

// The first word of every object that is none.
inline constexpr std::string_view kNullObject = "nullptr";

// Returns the id of "{id=...;member=...}", of which the outer braces are gone,
// or the text itself.
std::string_view IdOf(std::string_view text);

// Set filter and bloom_bits_per_key from RocksDB's "filter_policy", and give
// the text for it.
Status SetFilterPolicy(std::string_view text, TableOptions* options);
std::string FilterPolicyText(const TableOptions& options);

Status SetPrefixExtractor(std::string_view text,
                          std::shared_ptr<const PrefixExtractor>* extractor);
Status SetComparatorByName(std::string_view text,
                           const Comparator** comparator);

Status SetFlushBlockPolicy(std::string_view text, TableOptions* options);
// Returns nothing for a policy of the application's own.
std::optional<std::string_view> FlushBlockPolicyText(
    const TableOptions& options);

// Returns the name that tables record for a merge operator.
std::string_view MergeOperatorName(std::string_view text);

// RocksDB's names of codecs, custom ones too. Returns nothing for any other
// name. kDisableCompressionOption, which is no codec, is the number 255.
inline constexpr CompressionType kDisabledCompression{255};
std::optional<CompressionType> CodecByName(std::string_view name);
std::string CodecName(CompressionType type);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_OPTIONS_NAMED_OBJECTS_H_
