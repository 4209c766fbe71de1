// From the footer to a table that can be read.

#include <algorithm>
#include <new>
#include <string>

#include "ashlar/table/filter_policy.h"
#include "ashlar/table/option_table.h"
#include "port/random_word.h"
#include "table/index/registry.h"
#include "table/load/block_loader.h"
#include "table/load/dictionary_cache.h"
#include "table/meta/plain_block.h"
#include "table/read/load_parts.h"
#include "table/read/opened_table.h"
#include "util/compress/custom_blocks.h"
#include "util/mem/thread_spare.h"

namespace ashlar::internal {

namespace {

// Footer, metaindex and properties, and in small files the index too, are
// mostly in the last bytes of the file: one read gets them all. To read 16 KiB
// would make an opening that reads no more take a tenth longer.
constexpr uint64_t kUsualTail = uint64_t{4} << 10;

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
  return CacheKey::Temporary(port::RandomWord(), port::RandomWord());
}

// Returns whether the table is of this tier.
bool Pins(const ReaderOptions& options, PinningTier tier) {
  if (tier == PinningTier::kFallback) {
    tier = options.pin_l0_filter_and_index_blocks_in_cache
               ? PinningTier::kFlushedAndSimilar
               : PinningTier::kNone;
  }
  return tier == PinningTier::kAll ||
         (tier == PinningTier::kFlushedAndSimilar &&
          options.flushed_or_similar);
}

// Returns how index and filter blocks go into the cache.
CacheFilling FillingOf(const ReaderOptions& options) {
  return {.priority = options.cache_index_and_filter_blocks_with_high_priority
                          ? CachePriority::kHigh
                          : CachePriority::kLow,
          .fails_without_room = options.fail_without_cache_room};
}

// Returns whether the table has an index or a filter of partitions.
bool IsPartitioned(const OpenedTable& table) {
  return table.properties.index_type ==
             static_cast<uint32_t>(IndexType::kTwoLevelIndexSearch) ||
         (FilterPlace(table).has_value() && !HasWholeFilter(table));
}

// The memory that a thread keeps from one opening to the next, lent to a
// window. If each opening took and freed its own, the index that is taken in
// between would lie in the hole that the last one left, and waste the rest of
// it: a quarter of the memory of many open tables.
class MemoryOfOpenings {
 public:
  explicit MemoryOfOpenings(FileWindow* window) : window_(window) {
    window_->TakeMemory(Spare::Take());
  }
  MemoryOfOpenings(const MemoryOfOpenings&) = delete;
  MemoryOfOpenings& operator=(const MemoryOfOpenings&) = delete;
  ~MemoryOfOpenings() {
    Buffer memory = window_->GiveMemory();
    TrimSpare(&memory);
    Spare::Keep(std::move(memory));
  }

 private:
  using Spare = ThreadSpare<Buffer, MemoryOfOpenings>;
  FileWindow* const window_;
};

// Opens one file, step by step.
class TableOpener {
 public:
  TableOpener(OpenedTable* table, FileWindow* window)
      : table_(table), window_(window) {}

  Status Open(const ReaderOptions& options) {
    table_->readahead = {
        .initial = options.initial_auto_readahead_size,
        .most = options.max_auto_readahead_size,
        .after_reads = options.num_file_reads_for_auto_readahead};
    Status status = ReadMetaindex();
    if (status.ok()) status = ReadProperties(options);
    if (status.ok()) status = CheckHonoured();
    if (status.ok() && options.read_tail_at_once) status = ReadTail();
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
    if (table_->properties.user_collected_properties.contains(
            std::string(kEmbeddedBlobStatsProperty))) {
      table_->blobs = std::make_unique<EmbeddedBlobs>(
          &table_->source, options.max_uncompressed_block_bytes);
    }
    status = ChooseCache(options);
    if (status.ok()) status = PrepareDictionary(options);
    if (status.ok()) status = PrepareParts(options);
    if (status.ok()) {
      status = LoadRangeDeletions(table_->source, table_->meta_blocks,
                                  table_->order, table_->key_form, window_,
                                  &table_->range_deletions);
    }
    if (!options.keep_stored_properties) {
      // Assigned, an empty string would keep its memory.
      const StoredProperties freed =
          std::exchange(table_->properties.stored, StoredProperties());
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

  Status ReadProperties(const ReaderOptions& options) {
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
    table_->counts_entries = properties.stored.contains("rocksdb.num.entries");
    NoteGlobalSeqno(block.contents, place.handle);
    DeclaredCompression declared;
    status = CheckProperties(properties, footer().traits(), &declared);
    table_->source.Declare(declared, options.codecs);
    properties_place_ = place;
    return place.Wrap("bad property", status);
  }

  // Notes where in the file ingestion may overwrite the global sequence number.
  // A block that was compressed has no such place.
  void NoteGlobalSeqno(const Slice& contents, const BlockHandle& handle) {
    TableProperties& properties = table_->properties;
    if (!properties.external_sst_file_global_seqno.has_value() ||
        contents.size() != handle.size) {
      return;
    }
    const size_t at = FindGlobalSeqno(contents);
    if (at == 0) return;
    properties.external_sst_file_global_seqno_offset = handle.offset + at;
  }

  // Reads all behind the data blocks into the window, unless that has it. What
  // properties and metaindex say is not trusted: a wrong place costs a read,
  // and no more memory than a block may take.
  Status ReadTail() {
    constexpr uint64_t kMostBytes = uint64_t{1} << 30;
    const uint64_t size = table_->source.file().Size();
    uint64_t begin =
        footer().traits().has_context_checksums ? size : footer().index.offset;
    for (const MetaBlockEntry& entry : table_->meta_blocks) {
      begin = std::min(begin, entry.offset);
    }
    const TableProperties& p = table_->properties;
    if (p.stored.contains("rocksdb.tail.start.offset")) {
      begin = std::min(begin, p.tail_start_offset);
    }
    if (begin >= size || size - begin > kMostBytes ||
        window_->Has(begin, size - begin)) {
      return {};
    }
    return window_->Fill(begin, size - begin);
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

  // Reads the dictionary, and keeps it; or sets the cache where it is found.
  Status PrepareDictionary(const ReaderOptions& options) {
    const MetaBlockEntry* const entry = Find(kDictionaryBlockName);
    if (entry == nullptr || table_->source.AllRaw()) return {};
    const BlockPlace place = PlaceOf(*entry);
    if (options.cache_index_and_filter_blocks &&
        !table_->source.KeepsDictionary()) {
      auto cache = std::make_unique<DictionaryCache>(
          &table_->source, place, table_->source.types(), options.block_cache,
          table_->data.cache().file(), FillingOf(options), table_->counters);
      table_->source.UseDictionaryOf(cache.get());
      const bool is_pinned = Pins(options, options.unpartitioned_pinning);
      Status status;
      if (is_pinned) {
        status = cache->Pin(window_);
      } else if (options.load_index_and_filter == LoadTime::kAtOpen) {
        status = cache->Warm(window_);
      }
      table_->dictionary_store = std::move(cache);
      return status;
    }
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
    table_->data.UseCache(
        options.block_cache, key, has_words ? &table_->order : nullptr,
        {.fails_without_room = options.fail_without_cache_room});
    if (!options.cache_index_and_filter_blocks) return {};
    table_->metadata_cache = std::make_unique<const MetadataCache>(
        &table_->source, options.block_cache, key, FillingOf(options),
        table_->counters);
    return {};
  }

  // Sets how index and filter are loaded, and loads what is to be loaded now.
  Status PrepareParts(const ReaderOptions& options) {
    OpenedTable& table = *table_;
    table.index_place.kind = BlockKind::kIndex;
    Status status = IndexHandle(&table.index_place.handle);
    if (!status.ok()) return status;
    table.skips_filter = options.skip_filters;
    if (!table.skips_filter) {
      ChooseFilter(options.filter_policies, table_);
      table.filter_subject =
          FilterSubject(table.properties, options.prefix_extractor);
    }
    table.prefixes = options.prefix_extractor != nullptr
                         ? options.prefix_extractor
                         : FindBuiltinPrefixExtractor(
                               table.properties.prefix_extractor_name);
    table.pins = {Pins(options, options.unpartitioned_pinning),
                  Pins(options, options.partition_pinning)};
    // Opening charges what it has loaded when it is done.
    table.index.LoadBy([&table](std::unique_ptr<const IndexReader>* index) {
      Status loaded = LoadIndex(table, nullptr, index);
      return loaded.ok() ? table.ChargePart(
                               table.index_place,
                               (*index)->MemoryUsage() + (*index)->HintMemory())
                         : loaded;
    });
    table.filter.LoadBy([&table](std::unique_ptr<const TableFilter>* filter) {
      Status loaded = LoadFilter(table, nullptr, filter);
      return loaded.ok()
                 ? table.ChargePart(FilterPlace(table).value_or(BlockPlace()),
                                    (*filter)->MemoryUsage())
                 : loaded;
    });
    return LoadParts(options);
  }

  // What is pinned is loaded now in any case. What is kept in the block cache
  // and not pinned is loaded now only by kAtOpen.
  Status LoadParts(const ReaderOptions& options) const {
    const OpenedTable& table = *table_;
    const bool in_cache = table.metadata_cache != nullptr;
    const bool pins = (table.pins.partitions && IsPartitioned(table)) ||
                      (in_cache && table.pins.whole);
    const IndexReader* index;
    const TableFilter* filter;
    if (options.load_index_and_filter == LoadTime::kAtOpen || pins) {
      Status status = table.index.NeedBy(
          [&](std::unique_ptr<const IndexReader>* loaded) {
            return LoadIndex(table, window_, loaded);
          },
          &index);
      if (status.ok()) status = LoadFilterNow(&filter);
      if (status.ok() && in_cache) status = WarmCache(*index, *filter);
      return status;
    }
    if (options.load_index_and_filter == LoadTime::kIndexAtFirstUse &&
        !in_cache && HasWholeFilter(table)) {
      return LoadFilterNow(&filter);
    }
    return {};
  }

  Status LoadFilterNow(const TableFilter** filter) const {
    return table_->filter.NeedBy(
        [this](std::unique_ptr<const TableFilter>* loaded) {
          return LoadFilter(*table_, window_, loaded);
        },
        filter);
  }

  // Brings index and filter into the block cache.
  static Status WarmCache(const IndexReader& index, const TableFilter& filter) {
    IndexHold part;
    Status status = index.is_partitioned() ? Status() : index.Part(0, &part);
    return status.ok() ? filter.Warm() : status;
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

Status ReadFooter(const RandomAccessFile& file, uint64_t tail_size,
                  FileWindow* window, Footer* footer) {
  const uint64_t size = file.Size();
  const uint64_t wanted = tail_size == 0 ? kUsualTail : tail_size;
  const uint64_t first = std::min(size, std::max(wanted, kFooterSize));
  Status status = window->Fill(size - first, first);
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

namespace {

// Returns whether the table is one of keys with timestamps that does not store
// them, and `given` orders the same keys without timestamps: RocksDB's
// databases may give timestamps up that they have never stored.
bool HasNoTimestampsFor(const TableProperties& properties,
                        const Comparator& given) {
  constexpr std::string_view kTimestampSuffix = ".u64ts";
  return properties.user_defined_timestamps_persisted == 0 &&
         given.timestamp_size() == 0 &&
         properties.comparator_name ==
             std::string(given.Name()).append(kTimestampSuffix);
}

}  // namespace

Status ChooseComparator(const TableProperties& properties,
                        const Comparator* given, const Comparator** chosen) {
  const std::string& name = properties.comparator_name;
  if (given != nullptr) {
    *chosen = given;
    if (name.empty() || name == given->Name()) return {};
    if (HasNoTimestampsFor(properties, *given)) return {};
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
  return table.order.known() && table.order.timestamp_size() == 0 &&
         table.key_form.IsAsStored() &&
         !FindIndexType(table.properties.index_type)->has_first_keys;
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

std::unique_ptr<RandomAccessFile> TakeFile(std::unique_ptr<OpenedTable> table) {
  std::unique_ptr<RandomAccessFile> file = std::move(table->file);
  table.reset();
  return file;
}

Status OpenTable(std::unique_ptr<RandomAccessFile>* file,
                 const ReaderOptions& options,
                 std::unique_ptr<OpenedTable>* table) {
  Status status = CheckBounds(options);
  if (status.ok()) {
    status = options.cache_usage_options.Validate(options.block_cache.get());
  }
  if (status.ok()) status = CheckCodecs(options.codecs);
  if (status.ok()) status = CheckFilterPolicies(options.filter_policies);
  if (!status.ok()) return status;
  const RandomAccessFile& opened = **file;
  const ReadCounters counters(options.statistics.get());
  const HistogramTimer timer(counters, Histogram::kTableOpenIoMicros);
  FileWindow window(&opened, 0, false, counters);
  const MemoryOfOpenings memory(&window);
  Footer footer;
  status = ReadFooter(opened, options.tail_size, &window, &footer);
  if (!status.ok()) return NamedAfter(opened, status);
  *table = std::make_unique<OpenedTable>(
      std::move(*file), footer, options.max_uncompressed_block_bytes,
      options.statistics, options.block_cache_tracer);
  OpenedTable& opened_table = **table;
  opened_table.data.Coalesce(
      {options.coalesce_gap_bytes, options.coalesce_max_bytes});
  opened_table.rate_limiter = options.rate_limiter;
  opened_table.source.AskFirst({options.clock, options.rate_limiter.get()});
  opened_table.charges = ReadCharges(options);
  opened_table.source.ChargeKept(&opened_table.charges.table);
  status = TableOpener(table->get(), &window).Open(options);
  if (status.ok()) status = opened_table.ChargeLoaded();
  opened_table.one_search = status.ok() && IsOneSearch(opened_table);
  return NamedAfter(opened, status);
}

}  // namespace ashlar::internal
