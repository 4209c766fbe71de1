// Option strings: reading by OptionSetter, writing by the rows.

#include "ashlar/table/option_strings.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include "ashlar/table/option_table.h"
#include "table/options/named_objects.h"
#include "table/options/option_setter.h"
#include "table/options/option_text.h"
#include "util/mem/memory_limit.h"

namespace ashlar {
namespace {

using internal::OptionSetter;
using internal::OrMemoryLimit;

using TableRow = OptionRow<TableOptions>;

constexpr std::string_view kCodecMembers = "compression_opts.";
// Options of tables and of readers, which one name sets.
constexpr std::string_view kOfBoth[] = {"comparator", "prefix_extractor"};

// Returns the value as texts have it: absent objects are "nullptr".
std::string ValueText(const TableRow& row, const TableOptions& options) {
  if (row.name == "compression") {
    return internal::CodecName(options.compression);
  }
  std::string text = DescribeValue(row.member.bounds, row.member.get(options));
  return text.empty() ? std::string(internal::kNullObject) : text;
}

bool IsOfBoth(std::string_view name) {
  return std::count(std::begin(kOfBoth), std::end(kOfBoth), name) != 0;
}

// Returns whether the value counts for nothing and would be refused: a text
// leaves such a value out.
template <typename Options>
bool IsIdle(const OptionRow<Options>& row, const Options& options) {
  return !IsWithin(row.member.bounds, row.member.get(options)) &&
         row.counts != nullptr && !row.counts(options);
}

void AppendPair(std::string_view name, std::string_view value,
                std::string* text) {
  text->append(name);
  *text += '=';
  text->append(value);
  *text += ';';
}

void AppendRows(const TableOptions& options, OptionHome home,
                std::string* text) {
  for (const TableRow& row : TableOptionRows()) {
    if (row.home != home || row.name.starts_with(kCodecMembers)) continue;
    if (IsIdle(row, options)) continue;
    AppendPair(row.name, ValueText(row, options), text);
  }
}

void AppendCodecOptions(const TableOptions& options, std::string* text) {
  std::string members = "{";
  for (const TableRow& row : TableOptionRows()) {
    if (!row.name.starts_with(kCodecMembers)) continue;
    AppendPair(row.name.substr(kCodecMembers.size()), ValueText(row, options),
               &members);
  }
  AppendPair("compression_opts", members + "}", text);
}

void AppendFlushPolicy(const TableOptions& options, std::string* text) {
  AppendPair("flush_block_policy_factory",
             *internal::FlushBlockPolicyText(options), text);
}

// Appends every option of tables, in our own form.
void AppendTable(const TableOptions& options, bool with_those_of_both,
                 std::string* text) {
  for (const TableRow& row : TableOptionRows()) {
    if (!with_those_of_both && IsOfBoth(row.name)) continue;
    if (IsIdle(row, options)) continue;
    AppendPair(row.name, ValueText(row, options), text);
  }
  AppendFlushPolicy(options, text);
  AppendPair("target_rocksdb",
             options.target_rocksdb ? ToString(*options.target_rocksdb)
                                    : std::string(internal::kNullObject),
             text);
}

// Returns whether a text that has `value` for an option gives it back: braces
// keep what is inside of them as it is, but for space and braces around it.
bool IsReadAsItIs(std::string_view value, std::string* as_text) {
  for (const char* const braces : {"", "{}"}) {
    as_text->assign(value);
    if (*braces != '\0') *as_text = "{" + *as_text + "}";
    const std::string pair = "x=" + *as_text + ";";
    std::vector<internal::OptionPair> pairs;
    std::string_view at;
    if (internal::SplitPairs(pair, &pairs, &at).ok() && pairs.size() == 1 &&
        pairs.front().value == value) {
      return true;
    }
  }
  return false;
}

// Appends the rows of a build or a reader. Options without a value are left
// out: their default is to have none.
template <typename Options>
Status AppendOwnRows(std::span<const OptionRow<Options>> rows,
                     const Options& options, std::string* text) {
  for (const OptionRow<Options>& row : rows) {
    const OptionValue value = row.member.get(options);
    if (IsOfBoth(row.name) || IsIdle(row, options) ||
        std::holds_alternative<std::monostate>(value)) {
      continue;
    }
    std::string as_text = DescribeValue(row.member.bounds, value);
    if (row.member.kind == OptionKind::kText &&
        !IsReadAsItIs(std::get<std::string_view>(value), &as_text)) {
      return Status::NotSupported(std::string(row.name) +
                                  " has braces, or space at an end, which an "
                                  "option string cannot hold");
    }
    AppendPair(row.name, as_text, text);
  }
  return {};
}

// What RocksDB has as an object, and other forms as rows of their own.
void AppendTableMembers(const TableOptions& options, std::string* text) {
  AppendRows(options, OptionHome::kTable, text);
  AppendPair("filter_policy", internal::FilterPolicyText(options), text);
  AppendFlushPolicy(options, text);
}

std::string TextOf(const TableOptions& options, OptionTextForm form) {
  std::string text;
  switch (form) {
    case OptionTextForm::kAshlar:
      AppendTable(options, true, &text);
      break;
    case OptionTextForm::kRocksDBTable:
      AppendTableMembers(options, &text);
      break;
    case OptionTextForm::kRocksDBFamily: {
      AppendRows(options, OptionHome::kFamily, &text);
      AppendCodecOptions(options, &text);
      std::string members = "{";
      AppendTableMembers(options, &members);
      AppendPair("block_based_table_factory", members + "}", &text);
      break;
    }
  }
  return text;
}

Status NoName(const char* field) {
  return Status::NotSupported(std::string(field) +
                                  " is an object of the application's own, "
                                  "which no text can name",
                              Status::SubCode::kNotBuiltIn);
}

// Returns NotSupported for the first object that no text names.
Status CheckNamed(const TableOptions& o, OptionTextForm form) {
  const std::string codec = internal::CodecName(o.compression);
  if (internal::CodecByName(codec) != o.compression) {
    return Status::InvalidArgument("compression is " + codec +
                                   ", which no build takes");
  }
  if (o.codec != nullptr) return NoName("codec");
  if (o.filter_policy != nullptr) return NoName("filter_policy");
  if (!internal::FlushBlockPolicyText(o)) {
    return NoName("flush_block_policy_factory");
  }
  if (o.comparator == nullptr ||
      FindBuiltinComparator(o.comparator->Name()) == nullptr) {
    return NoName("comparator");
  }
  if (o.prefix_extractor != nullptr &&
      FindBuiltinPrefixExtractor(o.prefix_extractor->Name()) == nullptr) {
    return NoName("prefix_extractor");
  }
  if (form == OptionTextForm::kAshlar || !o.embedded_blob_options.enable) {
    return {};
  }
  return Status::NotSupported(
      "embedded_blob_options.enable is true, for which RocksDB has no text");
}

// The same for objects that change what a build writes, or what a reader makes
// of it.
Status CheckNamed(const BuildOptions& build, const ReaderOptions& reader) {
  if (!build.user_properties.empty()) return NoName("user_properties");
  if (!build.table_properties_collector_factories.empty()) {
    return NoName("table_properties_collector_factories");
  }
  if (!build.seqno_to_time.empty()) return NoName("seqno_to_time");
  if (build.file_checksum_gen_factory != nullptr) {
    return NoName("file_checksum_gen_factory");
  }
  if (!reader.codecs.empty()) return NoName("codecs");
  if (!reader.filter_policies.empty()) return NoName("filter_policies");
  return {};
}

// Sets *is_default to whether neither tables nor readers have one of their own.
// Returns NotSupported if they have different ones, since a text sets both.
template <typename Object>
Status CheckSame(std::string_view name, const Object& of_table,
                 const Object& of_reader, const Object& by_default,
                 bool* is_default) {
  *is_default = of_reader == nullptr && of_table == by_default;
  if (*is_default || of_table == of_reader) return {};
  // Two objects of one name are the same: it is that of a built-in one.
  if (of_table != nullptr && of_reader != nullptr &&
      of_table->Name() == of_reader->Name()) {
    return {};
  }
  return Status::NotSupported("the " + std::string(name) +
                              " of tables is not that of readers, and a text "
                              "sets both");
}

// Appends the options of kOfBoth.
Status AppendOfBoth(const OptionSet& set, std::string* text) {
  const TableOptions defaults;
  const auto& [table, build, reader] = set;
  bool no_comparator = false;
  bool no_extractor = false;
  Status status = CheckSame("comparator", table.comparator, reader.comparator,
                            defaults.comparator, &no_comparator);
  if (!status.ok()) return status;
  status = CheckSame("prefix_extractor", table.prefix_extractor,
                     reader.prefix_extractor, defaults.prefix_extractor,
                     &no_extractor);
  if (!status.ok()) return status;
  if (!no_comparator) AppendPair("comparator", table.comparator->Name(), text);
  if (!no_extractor) {
    AppendPair("prefix_extractor", table.prefix_extractor->Name(), text);
  }
  return {};
}

Status AppendSet(const OptionSet& set, std::string* text) {
  Status status = internal::CheckBounds(set.table);
  if (status.ok()) status = internal::CheckBounds(set.build);
  if (status.ok()) status = internal::CheckBounds(set.reader);
  if (status.ok()) status = CheckNamed(set.table, OptionTextForm::kAshlar);
  if (status.ok()) status = CheckNamed(set.build, set.reader);
  if (status.ok()) status = AppendOfBoth(set, text);
  if (!status.ok()) return status;
  AppendTable(set.table, false, text);
  status = AppendOwnRows(BuildOptionRows(), set.build, text);
  if (status.ok()) status = AppendOwnRows(ReaderOptionRows(), set.reader, text);
  return status;
}

}  // namespace

Status OptionsFromString(std::string_view text, OptionSet* set,
                         const OptionTextRules& rules) {
  return OrMemoryLimit([&]() -> Status {
    OptionSet read = *set;
    OptionSetter setter(rules, &read);
    setter.SetPlace({.text = text});
    Status status = setter.SetAll(text);
    if (!status.ok()) return status;
    setter.SettleCodec();
    *set = std::move(read);
    return {};
  });
}

Status TableOptionsFromString(const TableOptions& base, std::string_view text,
                              TableOptions* options,
                              const OptionTextRules& rules) {
  return OrMemoryLimit([&]() -> Status {
    OptionSet set = {.table = base};
    Status status = OptionsFromString(text, &set, rules);
    if (status.ok()) *options = std::move(set.table);
    return status;
  });
}

Result<std::string> StringFromOptions(const OptionSet& set) {
  return OrMemoryLimit([&]() -> Result<std::string> {
    std::string text;
    Status status = AppendSet(set, &text);
    if (!status.ok()) return status;
    return text;
  });
}

Result<std::string> StringFromTableOptions(const TableOptions& options,
                                           OptionTextForm form) {
  return OrMemoryLimit([&]() -> Result<std::string> {
    Status status = internal::CheckBounds(options);
    if (status.ok()) status = CheckNamed(options, form);
    if (!status.ok()) return status;
    return TextOf(options, form);
  });
}

}  // namespace ashlar
