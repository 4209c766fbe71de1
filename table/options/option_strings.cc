// Option strings: reading by OptionSetter, writing by the rows.

#include "ashlar/table/option_strings.h"

#include <utility>

#include "ashlar/table/option_table.h"
#include "table/options/named_objects.h"
#include "table/options/option_setter.h"
#include "util/mem/memory_limit.h"

namespace ashlar {
namespace {

using internal::OptionSetter;
using internal::OrMemoryLimit;

using TableRow = OptionRow<TableOptions>;

constexpr std::string_view kCodecMembers = "compression_opts.";

// Returns the value as texts have it: absent objects are "nullptr".
std::string ValueText(const TableRow& row, const TableOptions& options) {
  if (row.name == "compression") {
    return internal::CodecName(options.compression);
  }
  std::string text = DescribeValue(row.member.bounds, row.member.get(options));
  return text.empty() ? std::string(internal::kNullObject) : text;
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

// What RocksDB has as an object, and other forms as rows of their own.
void AppendTableMembers(const TableOptions& options, std::string* text) {
  AppendRows(options, OptionHome::kTable, text);
  AppendPair("filter_policy", internal::FilterPolicyText(options), text);
}

std::string TextOf(const TableOptions& options, OptionTextForm form) {
  std::string text;
  std::string policy;
  AppendPair("flush_block_policy_factory",
             *internal::FlushBlockPolicyText(options), &policy);
  switch (form) {
    case OptionTextForm::kAshlar:
      for (const TableRow& row : TableOptionRows()) {
        AppendPair(row.name, ValueText(row, options), &text);
      }
      text += policy;
      AppendPair("target_rocksdb",
                 options.target_rocksdb ? ToString(*options.target_rocksdb)
                                        : std::string(internal::kNullObject),
                 &text);
      break;
    case OptionTextForm::kRocksDBTable:
      AppendTableMembers(options, &text);
      text += policy;
      break;
    case OptionTextForm::kRocksDBFamily: {
      AppendRows(options, OptionHome::kFamily, &text);
      AppendCodecOptions(options, &text);
      std::string members = "{";
      AppendTableMembers(options, &members);
      members += policy + "}";
      AppendPair("block_based_table_factory", members, &text);
      break;
    }
  }
  return text;
}

// Returns NotSupported for the first object that no text names.
Status CheckNamed(const TableOptions& o, OptionTextForm form) {
  const auto no_name = [](const char* field) {
    return Status::NotSupported(
        std::string(field) +
            " is an object of the application's own, which no "
            "text can name",
        Status::SubCode::kNotBuiltIn);
  };
  if (o.codec != nullptr) return no_name("codec");
  if (o.filter_policy != nullptr) return no_name("filter_policy");
  if (!internal::FlushBlockPolicyText(o)) {
    return no_name("flush_block_policy_factory");
  }
  if (o.comparator == nullptr ||
      FindBuiltinComparator(o.comparator->Name()) == nullptr) {
    return no_name("comparator");
  }
  if (o.prefix_extractor != nullptr &&
      FindBuiltinPrefixExtractor(o.prefix_extractor->Name()) == nullptr) {
    return no_name("prefix_extractor");
  }
  if (form == OptionTextForm::kAshlar || !o.embedded_blob_options.enable) {
    return {};
  }
  return Status::NotSupported(
      "embedded_blob_options.enable is true, for which RocksDB has no text");
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

Result<std::string> StringFromTableOptions(const TableOptions& options,
                                           OptionTextForm form) {
  return OrMemoryLimit([&]() -> Result<std::string> {
    Status status = CheckNamed(options, form);
    if (!status.ok()) return status;
    return TextOf(options, form);
  });
}

}  // namespace ashlar
