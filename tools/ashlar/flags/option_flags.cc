#include "tools/ashlar/flags/option_flags.h"

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/compression.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {
namespace {

template <typename Enumerator>
OptionValue NumberOr(const Result<Enumerator>& parsed) {
  if (!IsOkOrThrow(parsed.status())) return {};
  return static_cast<uint32_t>(*parsed);
}
OptionValue CodecNumber(std::string_view text) {
  return NumberOr(ParseCompressionType(text));
}
OptionValue ChecksumNumber(std::string_view text) {
  return NumberOr(ParseChecksumType(text));
}

// A flag with another name than its option, or with other values.
struct OptionFlag {
  std::string_view flag;
  std::string_view option;
  // The flag is on where the option is off.
  bool inverted = false;
  // Returns the number of an enumerator that the flag names, or std::monostate.
  OptionValue (*number_of)(std::string_view text) = nullptr;
  std::string_view not_a_name = "not a possible value";
};

// A flag that is not here sets the option of the same name, if there is one.
constexpr OptionFlag kOptionFlags[] = {
    {.flag = "bloom_bits", .option = "bloom_bits_per_key"},
    {.flag = "checksum_type",
     .option = "checksum",
     .number_of = ChecksumNumber,
     .not_a_name = "not the name of a checksum"},
    {.flag = "comparator",
     .option = "comparator",
     .not_a_name = "not a built-in comparator"},
    {.flag = "compression_checksum", .option = "compression_opts.checksum"},
    {.flag = "compression_level", .option = "compression_opts.level"},
    {.flag = "compression_max_compressed_bytes_per_kb",
     .option = "compression_opts.max_compressed_bytes_per_kb"},
    {.flag = "compression_max_dict_buffer_bytes",
     .option = "compression_opts.max_dict_buffer_bytes"},
    {.flag = "compression_max_dict_bytes",
     .option = "compression_opts.max_dict_bytes"},
    {.flag = "compression_parallel_threads", .option = "parallel_threads"},
    {.flag = "compression_strategy", .option = "compression_opts.strategy"},
    {.flag = "compression_type",
     .option = "compression",
     .number_of = CodecNumber,
     .not_a_name = "not the name of a codec"},
    {.flag = "compression_use_zstd_finalize_dict",
     .option = "compression_opts.use_zstd_dict_trainer",
     .inverted = true},
    {.flag = "compression_window_bits",
     .option = "compression_opts.window_bits"},
    {.flag = "compression_zstd_max_train_bytes",
     .option = "compression_opts.zstd_max_train_bytes"},
    {.flag = "embedded_blobs", .option = "embedded_blob_options.enable"},
    {.flag = "max_uncompressed_block",
     .option = "max_uncompressed_block_bytes"},
    {.flag = "min_blob_size", .option = "embedded_blob_options.min_blob_size"},
    {.flag = "prefix_extractor",
     .option = "prefix_extractor",
     .not_a_name = "not a built-in prefix extractor"},
};

// Returns a row without an option for a flag that is not in the table.
OptionFlag FindFlag(std::string_view flag) {
  for (const OptionFlag& row : kOptionFlags) {
    if (row.flag == flag) return row;
  }
  return {.flag = flag, .option = flag};
}

template <typename Options>
const OptionBounds* FindBounds(std::span<const OptionRow<Options>> rows,
                               std::string_view option) {
  const auto* const row = FindOption(rows, option);
  return row != nullptr ? &row->member.bounds : nullptr;
}

// Returns where `word` is in "word|word|...". The words of a flag are in the
// order of the enumerators.
uint32_t PositionIn(std::string_view words, std::string_view word) {
  uint32_t position = 0;
  for (;;) {
    const size_t bar = words.find('|');
    if (words.substr(0, bar) == word || bar == std::string_view::npos) {
      return position;
    }
    words.remove_prefix(bar + 1);
    ++position;
  }
}

}  // namespace

std::string_view OptionOf(const FlagRow& row) {
  return FindFlag(row.name).option;
}

const FlagRow* FlagOf(std::string_view option) {
  for (const FlagRow& row : FlagRows()) {
    if (OptionOf(row) == option) return &row;
  }
  return nullptr;
}

const OptionBounds* BoundsOf(const FlagRow& row) {
  const std::string_view option = OptionOf(row);
  const OptionBounds* bounds = FindBounds(TableOptionRows(), option);
  if (bounds == nullptr) bounds = FindBounds(BuildOptionRows(), option);
  if (bounds == nullptr) bounds = FindBounds(ReaderOptionRows(), option);
  return bounds;
}

OptionValue OptionValueOf(const FlagRow& row) {
  const OptionValue value = row.read();
  const OptionFlag flag = FindFlag(row.name);
  if (flag.inverted) return !std::get<bool>(value);
  if (flag.number_of != nullptr) {
    return flag.number_of(std::get<std::string_view>(value));
  }
  if (row.value.find('|') == std::string_view::npos) return value;
  return PositionIn(row.value, std::get<std::string_view>(value));
}

std::string_view NotAName(const FlagRow& row) {
  return FindFlag(row.name).not_a_name;
}

}  // namespace ashlar::tool
