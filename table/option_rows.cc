// The rows of the table of options, and how a row finds its member.

#include <array>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "ashlar/table/option_table.h"
#include "util/compress/known_types.h"

namespace ashlar {

namespace {

// --- Members ----------------------------------------------------------------

// What an option of this type is stored as in an OptionValue.
template <typename Stored>
struct ValueOf {
  using Type = Stored;
};
template <typename Stored>
  requires std::is_enum_v<Stored>
struct ValueOf<Stored> {
  using Type = uint32_t;
};
template <typename Stored>
struct ValueOf<std::optional<Stored>> {
  using Type = Stored;
};
template <>
struct ValueOf<std::string> {
  using Type = std::string_view;
};

template <typename Type>
constexpr OptionKind kKindOf =
    static_cast<OptionKind>(OptionValue(std::in_place_type<Type>).index());
static_assert(kKindOf<bool> == OptionKind::kBool);
static_assert(kKindOf<int> == OptionKind::kInt);
static_assert(kKindOf<uint32_t> == OptionKind::kUint32);
static_assert(kKindOf<uint64_t> == OptionKind::kUint64);
static_assert(kKindOf<double> == OptionKind::kDouble);
static_assert(kKindOf<std::string_view> == OptionKind::kText);

template <typename Class, typename Member>
Class ClassOf(Member Class::*);

// The member at the end of a path of members: compression_opts, level.
template <auto kFirst, auto... kRest>
struct MemberAt {
  using Options = decltype(ClassOf(kFirst));
  using Stored = std::remove_cvref_t<decltype((
      (std::declval<Options&>().*kFirst).*....*kRest))>;
  using Type = typename ValueOf<Stored>::Type;

  static OptionValue Get(const Options& options) {
    const Stored& stored = ((options.*kFirst).*....*kRest);
    if constexpr (std::is_same_v<Stored, std::optional<Type>>) {
      return stored.has_value() ? OptionValue(*stored) : OptionValue();
    } else {
      return static_cast<Type>(stored);
    }
  }
  static bool Set(const OptionValue& value, Options* options) {
    Stored& stored = ((options->*kFirst).*....*kRest);
    if constexpr (std::is_enum_v<Stored>) {
      stored = static_cast<Stored>(std::get<Type>(value));
    } else {
      stored = std::get<Type>(value);
    }
    return true;
  }
};

// Makers of an option's member, by what its bounds are.
template <auto... kPath>
constexpr auto Any() {
  using At = MemberAt<kPath...>;
  return OptionMember<typename At::Options>{kKindOf<typename At::Type>,
                                            &At::Get, &At::Set};
}
template <auto... kPath>
constexpr auto Within(typename MemberAt<kPath...>::Type min,
                      typename MemberAt<kPath...>::Type max) {
  auto member = Any<kPath...>();
  member.bounds = {.min = min, .max = max};
  return member;
}
template <auto... kPath>
constexpr auto AtLeast(typename MemberAt<kPath...>::Type min) {
  using Type = typename MemberAt<kPath...>::Type;
  return Within<kPath...>(min, std::numeric_limits<Type>::max());
}
template <auto kPath>
constexpr auto PowerOfTwo(uint64_t max) {
  auto member = Within<kPath>(0, max);
  member.bounds.power_of_two = true;
  return member;
}
// `names` has one name for each enumerator.
template <auto kPath>
constexpr auto OneOf(std::span<const std::string_view> names) {
  auto member = Within<kPath>(0, static_cast<uint32_t>(names.size() - 1));
  member.bounds.names = names;
  return member;
}

// --- Names ------------------------------------------------------------------

constexpr std::string_view kIndexTypes[] = {"kBinarySearch", "kHashSearch",
                                            "kTwoLevelIndexSearch",
                                            "kBinarySearchWithFirstKey"};
constexpr std::string_view kIndexShortenings[] = {
    "kNoShortening", "kShortenSeparators", "kShortenSeparatorsAndSuccessor"};
constexpr std::string_view kDataBlockIndexTypes[] = {"kDataBlockBinarySearch",
                                                     "kDataBlockBinaryAndHash"};
constexpr std::string_view kChecksums[] = {"kNoChecksum", "kCRC32c", "kxxHash",
                                           "kxxHash64", "kXXH3"};
constexpr std::string_view kFilters[] = {"kNone", "kBloom", "kRibbon"};
constexpr std::string_view kPinningTiers[] = {"kFallback", "kNone",
                                              "kFlushedAndSimilar", "kAll"};
constexpr std::string_view kLoadTimes[] = {"kAtOpen", "kIndexAtFirstUse",
                                           "kAtFirstUse"};

template <typename Enumerator>
consteval bool HasAllUpTo(std::span<const std::string_view> names,
                          Enumerator last) {
  return names.size() == static_cast<size_t>(last) + 1;
}
static_assert(HasAllUpTo(kIndexTypes, IndexType::kBinarySearchWithFirstKey));
static_assert(HasAllUpTo(kIndexShortenings,
                         IndexShortening::kShortenSeparatorsAndSuccessor));
static_assert(HasAllUpTo(kDataBlockIndexTypes,
                         DataBlockIndexType::kDataBlockBinaryAndHash));
static_assert(HasAllUpTo(kChecksums, ChecksumType::kXXH3));
static_assert(HasAllUpTo(kFilters, FilterType::kRibbon));
static_assert(HasAllUpTo(kPinningTiers, PinningTier::kAll));
static_assert(HasAllUpTo(kLoadTimes, LoadTime::kAtFirstUse));

// The codecs whose numbers have no gap. Any other is no codec to write with,
// which CheckCodec in options.cc says.
constexpr auto kCodecs = [] {
  std::array<std::string_view, static_cast<size_t>(CompressionType::kZSTD) + 1>
      names;
  for (size_t i = 0; i < names.size(); ++i) {
    names[i] =
        internal::FindKnownType(static_cast<CompressionType>(i))->enumerator;
  }
  return names;
}();

// --- Objects by name --------------------------------------------------------

template <typename Options>
OptionValue ComparatorName(const Options& o) {
  return o.comparator != nullptr ? o.comparator->Name() : std::string_view();
}
template <typename Options>
bool SetComparator(const OptionValue& value, Options* options) {
  const Comparator* const comparator =
      FindBuiltinComparator(std::get<std::string_view>(value));
  if (comparator != nullptr) options->comparator = comparator;
  return comparator != nullptr;
}
template <typename Options>
constexpr OptionMember<Options> kComparator = {
    OptionKind::kText, &ComparatorName<Options>, &SetComparator<Options>};

template <typename Options>
OptionValue ExtractorName(const Options& o) {
  return o.prefix_extractor != nullptr ? o.prefix_extractor->Name()
                                       : std::string_view();
}
template <typename Options>
bool SetExtractor(const OptionValue& value, Options* options) {
  auto extractor =
      FindBuiltinPrefixExtractor(std::get<std::string_view>(value));
  if (extractor == nullptr) return false;
  options->prefix_extractor = std::move(extractor);
  return true;
}
template <typename Options>
constexpr OptionMember<Options> kExtractor = {
    OptionKind::kText, &ExtractorName<Options>, &SetExtractor<Options>};

// --- Rows -------------------------------------------------------------------

using Table = TableOptions;
using Build = BuildOptions;
using Reader = ReaderOptions;
using Blobs = EmbeddedBlobOptions;
using Codec = CompressionOptions;
using Identity = TableIdentity;
using Properties = TableProperties;

// Blocks must stay below 2 GiB, the limit of RocksDB's readers, even with the
// one entry that overfills them.
constexpr uint64_t kMaxBlockSize = uint64_t{1} << 28;
constexpr uint64_t kMaxSuperBlock = uint64_t{1} << 30;
constexpr uint32_t kMaxDictionaryBytes = uint32_t{1} << 28;
constexpr double kMinTableRatio = 0.001;
constexpr double kMaxTableRatio = 1000;
constexpr double kMinBloomBits = 0.5;
constexpr double kMaxBloomBits = 100;
// A builder uses at most 31. More than this is a mistake.
constexpr uint32_t kMaxParallelThreads = 1024;

constexpr std::string_view kNoObject = "nullptr";

template <typename Enumerator>
constexpr OptionSince From(Enumerator first, RocksDBRelease release) {
  return {static_cast<uint32_t>(first), release};
}
constexpr OptionSince kFormatSince[] = {
    {2u, {3, 10}}, {3u, {5, 15}}, {4u, {5, 16}},
    {5u, {6, 6}},  {6u, {8, 6}},  {7u, {10, 4}},
};
static_assert(std::size(kFormatSince) ==
              kMaxFormatVersion - kMinFormatVersion + 1);
constexpr OptionSince kIndexTypeSince[] = {
    From(IndexType::kTwoLevelIndexSearch, {5, 2}),
    From(IndexType::kBinarySearchWithFirstKey, {6, 2})};
constexpr OptionSince kUniformSince[] = {{0.0, {11, 1}}};
constexpr OptionSince kBlockHashSince[] = {
    From(DataBlockIndexType::kDataBlockBinaryAndHash, {5, 15})};
constexpr OptionSince kSeparateValuesSince[] = {{true, {11, 0}}};
constexpr OptionSince kBlobsSince[] = {{true, {11, 6}}};
constexpr OptionSince kCodecSince[] = {From(CompressionType::kZSTD, {4, 12})};
constexpr OptionSince kDictionarySince[] = {{1u, {4, 8}}};
constexpr OptionSince kChecksumSince[] = {From(ChecksumType::kXXH3, {6, 27})};
constexpr OptionSince kFilterSince[] = {From(FilterType::kRibbon, {6, 15})};
constexpr OptionSince kPartitionedSince[] = {{true, {5, 4}}};

// A codec's number, without bounds: see kCodecs.
constexpr OptionMember<Table> CodecMember() {
  OptionMember<Table> member = Any<&Table::compression>();
  member.bounds.names = kCodecs;
  return member;
}

// clang-format off
constexpr OptionRow<Table> kTableRows[] = {
    {.name = "comparator",
     .home = OptionHome::kFamily,
     .member = kComparator<Table>},
    {.name = "persist_user_defined_timestamps",
     .home = OptionHome::kFamily,
     .member = Any<&Table::persist_user_defined_timestamps>(),
     .kept = {&Properties::user_defined_timestamps_persisted}},
    {.name = "format_version",
     .home = OptionHome::kTable,
     .member = Within<&Table::format_version>(kMinFormatVersion,
                                              kMaxFormatVersion),
     .since = kFormatSince,
     .kept = {OptionOrigin::kFooter}},
    {.name = "block_size",
     .home = OptionHome::kTable,
     .member = Within<&Table::block_size>(1, kMaxBlockSize),
     .kept = {OptionOrigin::kDataBlocks}},
    {.name = "block_size_deviation",
     .home = OptionHome::kTable,
     .member = Within<&Table::block_size_deviation>(0, 100)},
    {.name = "block_restart_interval",
     .home = OptionHome::kTable,
     .member = AtLeast<&Table::block_restart_interval>(1),
     .kept = {&Properties::data_block_restart_interval, uint64_t{0}}},
    {.name = "index_type",
     .home = OptionHome::kTable,
     .member = OneOf<&Table::index_type>(kIndexTypes),
     .since = kIndexTypeSince},
    {.name = "index_block_restart_interval",
     .home = OptionHome::kTable,
     .member = AtLeast<&Table::index_block_restart_interval>(1),
     .kept = {&Properties::index_block_restart_interval, uint64_t{0}}},
    {.name = "metadata_block_size",
     .home = OptionHome::kTable,
     .member = Within<&Table::metadata_block_size>(1, kMaxBlockSize)},
    {.name = "uniform_cv_threshold",
     .home = OptionHome::kTable,
     .member = Any<&Table::uniform_cv_threshold>(),
     .since = kUniformSince},
    {.name = "use_delta_encoding",
     .home = OptionHome::kTable,
     .member = Any<&Table::use_delta_encoding>()},
    {.name = "data_block_index_type",
     .home = OptionHome::kTable,
     .member = OneOf<&Table::data_block_index_type>(kDataBlockIndexTypes),
     .since = kBlockHashSince},
    {.name = "data_block_hash_table_util_ratio",
     .home = OptionHome::kTable,
     .member = Within<&Table::data_block_hash_table_util_ratio>(
         kMinTableRatio, kMaxTableRatio),
     .counts = [](const Table& o) {
       return o.data_block_index_type ==
              DataBlockIndexType::kDataBlockBinaryAndHash;
     }},
    {.name = "separate_key_value_in_data_block",
     .home = OptionHome::kTable,
     .member = Any<&Table::separate_key_value_in_data_block>(),
     .since = kSeparateValuesSince,
     .kept = {&Properties::separate_key_value_in_data_block}},
    {.name = "embedded_blob_options.enable",
     .member = Any<&Table::embedded_blob_options, &Blobs::enable>(),
     .since = kBlobsSince,
     .kept = {OptionOrigin::kEmbeddedBlobs}},
    {.name = "embedded_blob_options.min_blob_size",
     .member = Any<&Table::embedded_blob_options, &Blobs::min_blob_size>(),
     .counts = [](const Table& o) { return o.embedded_blob_options.enable; },
     .kept = {OptionOrigin::kBlobSizes}},
    {.name = "block_align",
     .home = OptionHome::kTable,
     .member = Any<&Table::block_align>()},
    {.name = "super_block_alignment_size",
     .home = OptionHome::kTable,
     .member = PowerOfTwo<&Table::super_block_alignment_size>(kMaxSuperBlock)},
    {.name = "super_block_alignment_space_overhead_ratio",
     .home = OptionHome::kTable,
     .member = Any<&Table::super_block_alignment_space_overhead_ratio>()},
    {.name = "index_shortening",
     .home = OptionHome::kTable,
     .member = OneOf<&Table::index_shortening>(kIndexShortenings)},
    {.name = "compression",
     .home = OptionHome::kFamily,
     .member = CodecMember(), .since = kCodecSince},
    // Its bounds are the codec's: CheckLevel in options.cc.
    {.name = "compression_opts.level",
     .home = OptionHome::kFamily,
     .member = Any<&Table::compression_opts, &Codec::level>()},
    {.name = "compression_opts.window_bits",
     .home = OptionHome::kFamily,
     .member = Within<&Table::compression_opts, &Codec::window_bits>(
         internal::kZlibWindowBits.min, internal::kZlibWindowBits.max)},
    {.name = "compression_opts.strategy",
     .home = OptionHome::kFamily,
     .member = Within<&Table::compression_opts, &Codec::strategy>(
         internal::kZlibStrategies.min, internal::kZlibStrategies.max)},
    {.name = "compression_opts.max_compressed_bytes_per_kb",
     .home = OptionHome::kFamily,
     .member = AtLeast<&Table::compression_opts,
                       &Codec::max_compressed_bytes_per_kb>(0)},
    {.name = "compression_opts.checksum",
     .home = OptionHome::kFamily,
     .member = Any<&Table::compression_opts, &Codec::checksum>()},
    {.name = "compression_opts.max_dict_bytes",
     .home = OptionHome::kFamily,
     .member = Within<&Table::compression_opts, &Codec::max_dict_bytes>(
         0, kMaxDictionaryBytes),
     .since = kDictionarySince},
    {.name = "compression_opts.zstd_max_train_bytes",
     .home = OptionHome::kFamily,
     .member = Any<&Table::compression_opts, &Codec::zstd_max_train_bytes>()},
    {.name = "compression_opts.max_dict_buffer_bytes",
     .home = OptionHome::kFamily,
     .member = Any<&Table::compression_opts, &Codec::max_dict_buffer_bytes>()},
    {.name = "compression_opts.use_zstd_dict_trainer",
     .home = OptionHome::kFamily,
     .member = Any<&Table::compression_opts, &Codec::use_zstd_dict_trainer>()},
    {.name = "enable_index_compression",
     .home = OptionHome::kTable,
     .member = Any<&Table::enable_index_compression>()},
    {.name = "verify_compression",
     .home = OptionHome::kTable,
     .member = Any<&Table::verify_compression>()},
    {.name = "sample_for_compression",
     .home = OptionHome::kFamily,
     .member = Any<&Table::sample_for_compression>()},
    {.name = "checksum",
     .home = OptionHome::kTable,
     .member = OneOf<&Table::checksum>(kChecksums),
     .since = kChecksumSince},
    {.name = "filter",
     .member = OneOf<&Table::filter>(kFilters),
     .since = kFilterSince},
    {.name = "bloom_bits_per_key",
     .member = Within<&Table::bloom_bits_per_key>(kMinBloomBits, kMaxBloomBits),
     .counts = [](const Table& o) { return o.filter != FilterType::kNone; }},
    {.name = "optimize_filters_for_memory",
     .home = OptionHome::kTable,
     .member = Any<&Table::optimize_filters_for_memory>()},
    {.name = "detect_filter_construct_corruption",
     .home = OptionHome::kTable,
     .member = Any<&Table::detect_filter_construct_corruption>()},
    {.name = "whole_key_filtering",
     .home = OptionHome::kTable,
     .member = Any<&Table::whole_key_filtering>()},
    {.name = "partition_filters",
     .home = OptionHome::kTable,
     .member = Any<&Table::partition_filters>(),
     .since = kPartitionedSince},
    {.name = "decouple_partitioned_filters",
     .home = OptionHome::kTable,
     .member = Any<&Table::decouple_partitioned_filters>()},
    {.name = "prefix_extractor",
     .home = OptionHome::kFamily,
     .member = kExtractor<Table>,
     .kept = {&Properties::prefix_extractor_name, kNoObject}},
};

constexpr OptionRow<Build> kBuildRows[] = {
    {.name = "identity.db_id", .member = Any<&Build::identity,
                                             &Identity::db_id>()},
    {.name = "identity.db_session_id",
     .member = Any<&Build::identity, &Identity::db_session_id>()},
    {.name = "identity.db_host_id",
     .member = Any<&Build::identity, &Identity::db_host_id>()},
    {.name = "identity.file_number",
     .member = Any<&Build::identity, &Identity::file_number>()},
    {.name = "identity.creation_time",
     .member = Any<&Build::identity, &Identity::creation_time>(),
     .kept = {&Properties::creation_time}},
    {.name = "identity.file_creation_time",
     .member = Any<&Build::identity, &Identity::file_creation_time>()},
    {.name = "identity.oldest_key_time",
     .member = Any<&Build::identity, &Identity::oldest_key_time>(),
     .kept = {&Properties::oldest_key_time}},
    {.name = "identity.newest_key_time",
     .member = Any<&Build::identity, &Identity::newest_key_time>(),
     .kept = {&Properties::newest_key_time}},
    {.name = "identity.base_context_checksum",
     .member = AtLeast<&Build::identity, &Identity::base_context_checksum>(1)},
    {.name = "parallel_threads",
     .member = Within<&Build::parallel_threads>(0, kMaxParallelThreads)},
    {.name = "workers", .member = Any<&Build::workers>()},
    {.name = "column_family_id",
     .member = Any<&Build::column_family_id>(),
     .kept = {&Properties::column_family_id}},
    {.name = "column_family_name",
     .member = Any<&Build::column_family_name>(),
     .kept = {&Properties::column_family_name}},
    {.name = "level_at_creation", .member = Any<&Build::level_at_creation>()},
    {.name = "num_levels",
     .home = OptionHome::kFamily,
     .member = Any<&Build::num_levels>()},
    {.name = "merge_operator_name",
     .member = Any<&Build::merge_operator_name>(),
     .kept = {&Properties::merge_operator_name, kNoObject}},
    {.name = "target_file_size", .member = Any<&Build::target_file_size>()},
};

constexpr OptionRow<Reader> kReaderRows[] = {
    {.name = "comparator",
     .home = OptionHome::kFamily,
     .member = kComparator<Reader>},
    {.name = "allow_unknown_comparator",
     .member = Any<&Reader::allow_unknown_comparator>()},
    {.name = "allow_mmap_reads", .member = Any<&Reader::allow_mmap_reads>()},
    {.name = "use_direct_reads", .member = Any<&Reader::use_direct_reads>()},
    {.name = "max_auto_readahead_size",
     .home = OptionHome::kTable,
     .member = Any<&Reader::max_auto_readahead_size>()},
    {.name = "initial_auto_readahead_size",
     .home = OptionHome::kTable,
     .member = Any<&Reader::initial_auto_readahead_size>()},
    {.name = "num_file_reads_for_auto_readahead",
     .home = OptionHome::kTable,
     .member = Any<&Reader::num_file_reads_for_auto_readahead>()},
    {.name = "cache_index_and_filter_blocks",
     .home = OptionHome::kTable,
     .member = Any<&Reader::cache_index_and_filter_blocks>()},
    {.name = "cache_index_and_filter_blocks_with_high_priority",
     .home = OptionHome::kTable,
     .member =
         Any<&Reader::cache_index_and_filter_blocks_with_high_priority>()},
    {.name = "load_index_and_filter",
     .member = OneOf<&Reader::load_index_and_filter>(kLoadTimes)},
    {.name = "tail_size", .member = Any<&Reader::tail_size>()},
    {.name = "unpartitioned_pinning",
     .member = OneOf<&Reader::unpartitioned_pinning>(kPinningTiers)},
    {.name = "partition_pinning",
     .member = OneOf<&Reader::partition_pinning>(kPinningTiers)},
    {.name = "pin_l0_filter_and_index_blocks_in_cache",
     .home = OptionHome::kTable,
     .member = Any<&Reader::pin_l0_filter_and_index_blocks_in_cache>()},
    {.name = "flushed_or_similar",
     .member = Any<&Reader::flushed_or_similar>()},
    {.name = "cache_entry_words", .member = Any<&Reader::cache_entry_words>()},
    {.name = "largest_seqno",
     .member = Within<&Reader::largest_seqno>(0, kMaxSequenceNumber)},
    {.name = "prefix_extractor",
     .home = OptionHome::kFamily,
     .member = kExtractor<Reader>},
    {.name = "max_uncompressed_block_bytes",
     .member = Any<&Reader::max_uncompressed_block_bytes>()},
    {.name = "coalesce_gap_bytes",
     .member = Any<&Reader::coalesce_gap_bytes>()},
    {.name = "coalesce_max_bytes",
     .member = Any<&Reader::coalesce_max_bytes>()},
    {.name = "fail_without_cache_room",
     .member = Any<&Reader::fail_without_cache_room>()},
    {.name = "skip_filters", .member = Any<&Reader::skip_filters>()},
    {.name = "read_tail_at_once",
     .member = Any<&Reader::read_tail_at_once>()},
    {.name = "keep_stored_properties",
     .member = Any<&Reader::keep_stored_properties>()},
};
// clang-format on

// Returns whether the names differ, and the values of `since` are of the
// option's kind and ascend.
template <typename Options>
consteval bool AreSound(std::span<const OptionRow<Options>> rows) {
  for (const OptionRow<Options>& row : rows) {
    if (FindOption(rows, row.name) != &row) return false;
    for (size_t i = 0; i < row.since.size(); ++i) {
      const OptionSince& since = row.since[i];
      if (static_cast<OptionKind>(since.value.index()) != row.member.kind) {
        return false;
      }
      if (i == 0) continue;
      const OptionSince& before = row.since[i - 1];
      if (!(before.value < since.value && before.release < since.release)) {
        return false;
      }
    }
  }
  return true;
}
static_assert(AreSound(std::span<const OptionRow<Table>>(kTableRows)));
static_assert(AreSound(std::span<const OptionRow<Build>>(kBuildRows)));
static_assert(AreSound(std::span<const OptionRow<Reader>>(kReaderRows)));

}  // namespace

std::span<const OptionRow<TableOptions>> TableOptionRows() {
  return kTableRows;
}
std::span<const OptionRow<BuildOptions>> BuildOptionRows() {
  return kBuildRows;
}
std::span<const OptionRow<ReaderOptions>> ReaderOptionRows() {
  return kReaderRows;
}

}  // namespace ashlar
