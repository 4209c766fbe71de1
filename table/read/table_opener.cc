// From the footer to a table that can be read.

#include <algorithm>
#include <new>
#include <string>

#include "ashlar/table/option_table.h"
#include "port/random_word.h"
#include "table/index/index_cursor.h"
#include "table/index/registry.h"
#include "table/meta/plain_block.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

namespace {

// Footer, metaindex and properties, and in small files the index too, are
// mostly in the last bytes of the file: one read gets them all.
constexpr uint64_t kTailBytes = uint64_t{16} << 10;

// The version of external files that have a global sequence number.
constexpr uint32_t kExternalVersionWithSeqno = 2;

// A comparator with a name and no order: it can only say whether keys are
// equal.
class NamedComparator final : public Comparator {
 public:
  explicit NamedComparator(std::string name) : name_(std::move(name)) {}
  std::string_view Name() const override { return name_; }
  int Compare(const Slice& a, const Slice& b) const override {
    return a.compare(b);
  }

 private:
  const std::string name_;
};

// A file without an identity gets a random one, for as long as it is open.
CacheKey CacheKeyOf(const TableProperties& properties) {
  if (!properties.db_session_id.empty() && properties.orig_file_number != 0) {
    return FileCacheKey(properties.db_id, properties.db_session_id,
                        properties.orig_file_number);
  }
  return {port::RandomWord(), port::RandomWord()};
}

// Opens one file, step by step.
class TableOpener {
 public:
  TableOpener(OpenedTable* table, FileWindow* window)
      : table_(table), window_(window) {}

  Status Open(const ReaderOptions& options) {
    Status status = ReadMetaindex();
    if (status.ok()) status = ReadProperties();
    if (status.ok()) status = CheckHonoured();
    if (status.ok()) status = ReadDictionary();
    if (!status.ok()) return status;
    status = ChooseOrder(options);
    if (!status.ok()) {
      return properties_place_.Wrap("unusable comparator", status);
    }
    if (table_->properties.user_defined_timestamps_persisted == 0) {
      table_->key_form.stripped_timestamp = table_->order.timestamp_size();
      table_->stored_order = table_->order_without_timestamps;
    }
    status = ReadKeyForm(options);
    if (!status.ok()) return properties_place_.Wrap("bad property", status);
    status = ChooseCache(options);
    if (status.ok()) status = ReadIndex(options);
    if (status.ok()) status = ReadFilter(options);
    if (status.ok()) {
      status =
          LoadRangeDeletions(table_->source, table_->meta_blocks, table_->order,
                             table_->key_form, &table_->range_deletions);
    }
    if (status.ok() && options.partition_pinning == PinningTier::kAll) {
      PinPartitions();
    }
    return status;
  }

 private:
  const Footer& footer() const { return table_->source.footer(); }

  Status Load(const BlockPlace& place, LoadedBlock* block) {
    return table_->source.Load(place, true, window_, &workspace_, block);
  }

  Status ReadMetaindex() {
    const BlockPlace place{BlockKind::kMetaIndex, footer().metaindex};
    LoadedBlock block;
    Status status = Load(place, &block);
    if (!status.ok()) return status;
    return DecodeMetaindex(block.contents, place, footer().offset,
                           &table_->meta_blocks);
  }

  const MetaBlockEntry* Find(std::string_view name) const {
    return FindMetaBlock(table_->meta_blocks, name);
  }

  // Returns Corruption: the metaindex should name this block, and does not.
  Status Missing(std::string_view name) const {
    const BlockPlace place{BlockKind::kMetaIndex, footer().metaindex};
    return place.Corruption("missing entry", "expected " + std::string(name) +
                                                 ", found none of that name");
  }

  static BlockPlace PlaceOf(const MetaBlockEntry& entry) {
    return {MetaBlockKind(entry.name), {entry.offset, entry.size}};
  }

  Status ReadProperties() {
    const MetaBlockEntry* entry = Find(kPropertiesBlockName);
    if (entry == nullptr) entry = Find(kOldPropertiesBlockName);
    if (entry == nullptr) {
      if (!footer().traits().requires_properties) return {};
      return Missing(kPropertiesBlockName);
    }
    const BlockPlace place = PlaceOf(*entry);
    LoadedBlock block;
    Status status = Load(place, &block);
    if (!status.ok()) return status;
    TableProperties& properties = table_->properties;
    status = DecodeProperties(block.contents, place, &properties);
    if (!status.ok()) return status;
    DeclaredCompression declared;
    status = CheckProperties(properties, footer().traits(), &declared);
    table_->source.Declare(declared);
    properties_place_ = place;
    return place.Wrap("bad property", status);
  }

  // Refuses whatever would make an answer wrong. Only filters may be ignored.
  Status CheckHonoured() const {
    constexpr const char* kWhy = "this release does not support it";
    const TableProperties& p = table_->properties;
    if (FindIndexType(p.index_type) == nullptr) {
      return properties_place_.NotSupported(
          "index type " + std::to_string(p.index_type), kWhy);
    }
    return {};
  }

  Status ChooseOrder(const ReaderOptions& options) {
    const Comparator* comparator;
    Status status =
        ChooseComparator(table_->properties, options.comparator, &comparator);
    if (status.IsNotSupported() && options.allow_unknown_comparator) {
      table_->placeholder =
          std::make_unique<NamedComparator>(table_->properties.comparator_name);
      table_->order = KeyOrder::Unknown(table_->placeholder.get());
      status = Status();
    } else if (status.ok()) {
      table_->order = KeyOrder(comparator);
    }
    table_->stored_order = table_->order;
    table_->order_without_timestamps = table_->order.WithoutTimestamps();
    return status;
  }

  // In an external file one sequence number replaces all others. 0, or none,
  // stands for the number in the manifest. If that is not known either, keys
  // keep theirs, as Pebble's files need it.
  Status ReadKeyForm(const ReaderOptions& options) {
    const TableProperties& p = table_->properties;
    if (p.external_sst_file_version != kExternalVersionWithSeqno) return {};
    const SequenceNumber stored = p.external_sst_file_global_seqno.value_or(0);
    const SequenceNumber known = options.largest_seqno.value_or(stored);
    if (stored != 0 && known != stored) {
      return Status::Corruption(
          "global sequence number " + std::to_string(stored) +
          " in a file whose largest_seqno is " + std::to_string(known));
    }
    if (known != 0) table_->key_form.sequence = known;
    return {};
  }

  Status ReadDictionary() {
    const MetaBlockEntry* const entry = Find(kDictionaryBlockName);
    if (entry == nullptr || table_->source.AllRaw()) return {};
    const BlockPlace place = PlaceOf(*entry);
    LoadedBlock block;
    Status status = Load(place, &block);
    if (!status.ok()) return status;
    return table_->source.TakeDictionary(block.contents, place);
  }

  Status IndexHandle(BlockHandle* handle) const {
    if (!footer().traits().has_context_checksums) {
      *handle = footer().index;
      return {};
    }
    const MetaBlockEntry* const entry = Find(kIndexBlockName);
    if (entry == nullptr) {
      return Missing(kIndexBlockName);
    }
    *handle = {entry->offset, entry->size};
    return {};
  }

  // Sets the cache for data blocks, and, by option, for index and filter.
  Status ChooseCache(const ReaderOptions& options) {
    if (options.block_cache == nullptr) {
      if (!options.cache_index_and_filter_blocks) return {};
      return Status::InvalidArgument(
          "cache_index_and_filter_blocks needs a block_cache");
    }
    const CacheKey key = CacheKeyOf(table_->properties);
    const bool has_words =
        options.cache_entry_words && table_->key_form.IsAsStored();
    table_->data.UseCache(options.block_cache, key,
                          has_words ? &table_->order : nullptr);
    if (!options.cache_index_and_filter_blocks) return {};
    table_->metadata_cache = std::make_unique<const MetadataCache>(
        &table_->source, options.block_cache, key,
        options.cache_index_and_filter_blocks_with_high_priority
            ? CachePriority::kHigh
            : CachePriority::kLow,
        table_->counters);
    return {};
  }

  Status ReadIndex(const ReaderOptions& options) {
    BlockPlace place{BlockKind::kIndex, {}};
    Status status = IndexHandle(&place.handle);
    if (!status.ok()) return status;
    LoadedBlock block;
    status = Load(place, &block);
    if (!status.ok()) return status;
    const TableProperties& p = table_->properties;
    const IndexTypeRow& type = *FindIndexType(p.index_type);
    const BlockSource& blocks = table_->source;
    const IndexSource source{
        table_->order,
        {p.index_key_is_user_key != 0, p.index_value_is_delta_encoded != 0,
         type.has_first_keys, table_->key_form},
        footer().offset,
        [&blocks](const BlockPlace& at, Buffer* owned, Slice* contents) {
          LoadedBlock part;
          Status loading = blocks.LoadOwned(at, true, &part);
          *owned = std::move(part.owned);
          *contents = part.contents;
          return loading;
        },
        table_->metadata_cache == nullptr ? nullptr
                                          : table_->metadata_cache->index(),
        options.unpartitioned_pinning == PinningTier::kAll,
        blocks.kept_charge()};
    return type.open(source, block.contents, place, &table_->index);
  }

  void PinPartitions() const {
    table_->index->PinParts();
    table_->filter.PinPartitions();
  }

  bool HasBlocks() const {
    IndexCursor at(table_->index.get());
    return at.SeekToFirst() || !at.status().ok();
  }

  // Pebble gives a table without entries one data block, which is empty, and
  // counts range deletions among the entries.
  bool HasPoints() const {
    const TableProperties& properties = table_->properties;
    if (properties.stored.contains("rocksdb.num.entries") &&
        properties.num_entries <= properties.num_range_deletions) {
      return false;
    }
    return HasBlocks();
  }

  Status ReadFilter(const ReaderOptions& options) {
    std::string name(kFullFilterPrefix);
    name.append(kBuiltinFilterName);
    const MetaBlockEntry* const entry = Find(name);
    TableFilter& filter = table_->filter;
    filter.SetSubject(
        FilterSubject(table_->properties, options.prefix_extractor));
    table_->prefixes = options.prefix_extractor != nullptr
                           ? options.prefix_extractor
                           : FindBuiltinPrefixExtractor(
                                 table_->properties.prefix_extractor_name);
    if (entry == nullptr) {
      Status status = ReadLevelDbFilter();
      return status.ok() ? ReadFilterPartitions() : status;
    }
    return filter.subject().any() ? ReadFullFilter(PlaceOf(*entry), options)
                                  : Status();
  }

  Status ReadFullFilter(const BlockPlace& place, const ReaderOptions& options) {
    LoadedBlock block;
    Status status = table_->source.LoadOwned(place, true, &block);
    if (!status.ok()) return status;
    const FilterBitsReader::Kind kind = FilterBitsReader(block.contents).kind();
    // A filter of prefixes alone is empty if no key has a prefix.
    if (kind == FilterBitsReader::Kind::kEmpty &&
        table_->filter.subject().whole_keys() && HasPoints()) {
      return place.Corruption(
          "bad filter", "it matches nothing, but the table has data blocks");
    }
    if (kind == FilterBitsReader::Kind::kAlways) return {};
    const MetadataCache* const cache = table_->metadata_cache.get();
    if (cache != nullptr) {
      return table_->filter.UseCachedFull(
          cache, place, options.unpartitioned_pinning == PinningTier::kAll);
    }
    table_->filter.KeepFull(block.contents);
    return {};
  }

  Status ReadLevelDbFilter() {
    const MetaBlockEntry* const entry = Find(kLevelDbFilterBlockName);
    if (entry == nullptr) return {};
    LoadedBlock block;
    Status status = table_->source.LoadOwned(PlaceOf(*entry), true, &block);
    if (status.ok()) table_->filter.KeepOfLevelDb(std::move(block));
    return status;
  }

  Status ReadFilterPartitions() {
    if (!table_->filter.subject().any()) return {};
    std::string name(kPartitionedFilterPrefix);
    name.append(kBuiltinFilterName);
    const MetaBlockEntry* const entry = Find(name);
    // Partitions have the form of the index, which a table without data blocks
    // leaves open.
    if (entry == nullptr || !HasBlocks()) return {};
    LoadedBlock block;
    Status status = Load(PlaceOf(*entry), &block);
    if (!status.ok()) return status;
    std::unique_ptr<FilterPartitions> partitions;
    status = FilterPartitions::Open(
        &table_->source, table_->metadata_cache.get(), table_->order,
        table_->index->form(), block.contents, PlaceOf(*entry), &partitions);
    table_->filter.UsePartitions(std::move(partitions));
    return status;
  }

  OpenedTable* table_;
  FileWindow* window_;
  BlockWorkspace workspace_;
  BlockPlace properties_place_;
};

}  // namespace

// Called where no exception may pass any more.
Status NamedAfter(const RandomAccessFile& file, const Status& status) {
  if (status.ok() || status.IsIOError()) return status;
  try {
    return status.WithPrefix(file.name());
  } catch (const std::bad_alloc&) {
    return status;
  }
}

Status ReadFooter(const RandomAccessFile& file, FileWindow* window,
                  Footer* footer) {
  const uint64_t size = file.Size();
  const uint64_t tail_size = std::min(size, kTailBytes);
  Status status = window->Fill(size - tail_size, tail_size);
  if (!status.ok()) return status;
  const uint64_t footer_size = std::min(size, kFooterSize);
  Slice tail;
  status = window->Read(size - footer_size, footer_size, &tail);
  if (!status.ok()) return status;
  status = DecodeFooter(tail, size, footer);
  const BlockPlace place{BlockKind::kFooter, {size - footer_size, footer_size}};
  return place.Wrap(
      status.IsNotSupported() ? "unsupported footer" : "bad footer", status);
}

Status ChooseComparator(const TableProperties& properties,
                        const Comparator* given, const Comparator** chosen) {
  const std::string& name = properties.comparator_name;
  if (given != nullptr) {
    *chosen = given;
    if (name.empty() || name == given->Name()) return {};
    return Status::InvalidArgument("comparator " + name +
                                   " does not match the given one, " +
                                   std::string(given->Name()));
  }
  *chosen = name.empty() ? BytewiseComparator() : FindBuiltinComparator(name);
  if (*chosen != nullptr) return {};
  return Status::NotSupported("comparator " + name + " is not built in",
                              Status::SubCode::kNotBuiltIn);
}

namespace {

Status CheckExternalProperties(const TableProperties& properties) {
  constexpr uint32_t kWithoutSeqno = 1;
  const auto& version = properties.external_sst_file_version;
  const bool has_seqno = properties.external_sst_file_global_seqno.has_value();
  if (!version.has_value()) {
    if (!has_seqno) return {};
    return Status::Corruption(
        "property rocksdb.external_sst_file.global_seqno in a file that has "
        "no rocksdb.external_sst_file.version");
  }
  if (*version != kWithoutSeqno && *version != kExternalVersionWithSeqno) {
    return Status::Corruption("external file version " +
                              std::to_string(*version) + ", expected 1 or 2");
  }
  if (properties.external_sst_file_global_seqno.value_or(0) >
      kMaxSequenceNumber) {
    return Status::Corruption(
        "global sequence number " +
        std::to_string(*properties.external_sst_file_global_seqno) +
        ", expected at most " + std::to_string(kMaxSequenceNumber));
  }
  if (*version == kWithoutSeqno && has_seqno) {
    return Status::Corruption(
        "external file of version 1 with a global sequence number");
  }
  return {};
}

bool IsOneSearch(const OpenedTable& table) {
  const IndexReader& index = *table.index;
  return table.order.known() && table.order.timestamp_size() == 0 &&
         table.key_form.IsAsStored() && !index.is_partitioned() &&
         index.has_root() && !index.form().first_keys &&
         table.filter.IsAtHand();
}

}  // namespace

Status CheckProperties(const TableProperties& properties,
                       const FormatTraits& traits,
                       DeclaredCompression* declared) {
  constexpr const char* kIndexType = "rocksdb.block.based.table.index.type";
  Status status = DecodeCompressionProperty(properties, traits, declared);
  if (status.ok()) status = CheckExternalProperties(properties);
  if (status.ok() && traits.requires_properties &&
      !properties.stored.contains(kIndexType)) {
    return Status::Corruption("expected " + std::string(kIndexType) +
                              ", found none of that name");
  }
  return status;
}

Status OpenTable(std::unique_ptr<RandomAccessFile> file,
                 const ReaderOptions& options,
                 std::unique_ptr<OpenedTable>* table) {
  Status status = CheckBounds(options);
  if (status.ok()) {
    status = options.cache_usage_options.Validate(options.block_cache.get());
  }
  if (!status.ok()) return status;
  const RandomAccessFile& opened = *file;
  const ReadCounters counters(options.statistics.get());
  FileWindow window(file.get(), 0, false, counters);
  Footer footer;
  status = ReadFooter(opened, &window, &footer);
  if (!status.ok()) return NamedAfter(opened, status);
  *table = std::make_unique<OpenedTable>(
      std::move(file), footer, options.max_uncompressed_block_bytes,
      options.statistics, options.block_cache_tracer);
  OpenedTable& opened_table = **table;
  opened_table.charges = ReadCharges(options);
  opened_table.source.ChargeKept(&opened_table.charges.table);
  status = TableOpener(table->get(), &window).Open(options);
  if (status.ok()) status = opened_table.ChargeLoaded();
  opened_table.one_search = status.ok() && IsOneSearch(opened_table);
  return NamedAfter(opened, status);
}

}  // namespace ashlar::internal
