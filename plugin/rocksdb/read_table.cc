#include "read_table.h"

#include <array>
#include <string>
#include <utility>

#include "file/file_util.h"
#include "found_entry.h"
#include "memory/arena.h"
#include "read_options.h"
#include "stock_dump.h"
#include "table/get_context.h"
#include "table/unique_id_impl.h"
#include "table_facts.h"
#include "table_walk.h"
#include "util/vector_iterator.h"

namespace ashlar_rocksdb {

namespace {

constexpr size_t kTailBytes = 8;  // sequence number and type of an internal key

rocksdb::Slice UserKey(const rocksdb::Slice& internal_key) {
  return rocksdb::Slice(internal_key.data(), internal_key.size() - kTailBytes);
}

// RocksDB's own comparators of timestamps do not say it, but without their
// timestamps they compare bytes.
bool EqualKeysHaveEqualBytes(const rocksdb::Comparator& comparator) {
  return !comparator.CanKeysWithDifferentByteContentsBeEqual() ||
         &comparator == rocksdb::BytewiseComparatorWithU64Ts() ||
         &comparator == rocksdb::ReverseBytewiseComparatorWithU64Ts();
}

ashlar::ReadOptions WithoutFilter(ashlar::ReadOptions options) {
  options.skip_filters = true;
  return options;
}

rocksdb::Status CheckUniqueId(const rocksdb::TableProperties& properties,
                              const rocksdb::TableReaderOptions& theirs) {
  if (theirs.unique_id == rocksdb::kNullUniqueId64x2) {
    return rocksdb::Status::OK();
  }
  rocksdb::UniqueId64x2 actual{};
  const rocksdb::Status status = rocksdb::GetSstInternalUniqueId(
      properties.db_id, properties.db_session_id, properties.orig_file_number,
      &actual, /*force=*/true);
  if (!status.ok()) return status;
  if (actual == theirs.unique_id) return rocksdb::Status::OK();
  rocksdb::UniqueId64x2 expected = theirs.unique_id;
  return rocksdb::Status::Corruption(
      "Mismatch in unique ID on table file " +
      std::to_string(theirs.cur_file_num) +
      ". Expected: " + rocksdb::InternalUniqueIdToHumanString(&expected) +
      " Actual: " + rocksdb::InternalUniqueIdToHumanString(&actual));
}

// Direct reads pass by the page cache.
bool LoadsAhead(const rocksdb::TableReaderOptions& theirs) {
  return !theirs.env_options.use_direct_reads &&
         rocksdb::CheckFSFeatureSupport(theirs.ioptions.fs.get(),
                                        rocksdb::FSSupportedOps::kFSPrefetch);
}

// Into how many reads a compaction divides what it reads ahead, where the file
// system loads that meanwhile: what is copied then stays in the processor's
// cache until it is decoded. The walk tells the file system of four reads.
constexpr size_t kCompactionReads = 4;

}  // namespace

ReadTable::ReadTable(std::unique_ptr<ashlar::TableReader> reader,
                     const rocksdb::TableReaderOptions& theirs,
                     std::shared_ptr<rocksdb::Cache> block_cache,
                     uint64_t file_size)
    : reader_(std::move(reader)),
      block_cache_(std::move(block_cache)),
      their_options_(theirs.ioptions),
      comparator_(theirs.internal_comparator),
      timestamp_size_(comparator_.user_comparator()->timestamp_size()),
      equal_keys_have_equal_bytes_(
          EqualKeysHaveEqualBytes(*comparator_.user_comparator())),
      level_(theirs.level),
      file_size_(file_size),
      file_loads_ahead_(LoadsAhead(theirs)),
      // Not make_shared: RocksDB asks malloc for the size of the object.
      properties_(
          new rocksdb::TableProperties(PropertiesFrom(reader_->properties()))),
      opened_with_(theirs.prefix_extractor),
      has_prefixes_(opened_with_ != nullptr &&
                    opened_with_->AsString() ==
                        properties_->prefix_extractor_name),
      has_filter_(properties_->filter_size != 0),
      filters_whole_keys_(reader_->properties().whole_key_filtering != "0") {}

rocksdb::Status ReadTable::Create(
    std::unique_ptr<ashlar::TableReader> reader,
    const rocksdb::TableReaderOptions& theirs,
    std::shared_ptr<rocksdb::Cache> block_cache, uint64_t file_size,
    std::unique_ptr<rocksdb::TableReader>* table) {
  std::unique_ptr<ReadTable> made(new ReadTable(
      std::move(reader), theirs, std::move(block_cache), file_size));
  rocksdb::Status status = CheckUniqueId(*made->properties_, theirs);
  if (!status.ok()) return status;
  made->CollectRangeTombstones();
  if (!made->properties_->seqno_to_time_mapping.empty()) {
    auto times = std::make_unique<rocksdb::SeqnoToTimeMapping>();
    const rocksdb::Status decoded =
        times->DecodeFrom(made->properties_->seqno_to_time_mapping);
    if (decoded.ok()) {
      made->times_ = std::move(times);
    } else {
      // Times only say how old entries are: as in RocksDB, no read fails.
      rocksdb::Warn(theirs.ioptions.logger, "times of a table: %s",
                    decoded.ToString().c_str());
    }
  }
  *table = std::move(made);
  return status;
}

ReadTable::~ReadTable() {
  if (uncache_aggressiveness_.load(std::memory_order_relaxed) > 0) {
    reader_->EraseFromBlockCache();
  }
}

void ReadTable::MarkObsolete(uint32_t uncache_aggressiveness) {
  uncache_aggressiveness_.store(uncache_aggressiveness,
                                std::memory_order_relaxed);
}

void ReadTable::CollectRangeTombstones() {
  const auto deletions = reader_->RangeDeletions();
  if (deletions.empty()) return;
  std::vector<std::string> keys;
  std::vector<std::string> ends;
  keys.reserve(deletions.size());
  ends.reserve(deletions.size());
  for (const ashlar::RangeDeletion& deletion : deletions) {
    std::string& key = keys.emplace_back(deletion.begin.ToString());
    rocksdb::PutFixed64(
        &key, rocksdb::PackSequenceAndType(deletion.sequence,
                                           rocksdb::kTypeRangeDeletion));
    ends.push_back(deletion.end.ToString());
  }
  auto sorted = std::make_unique<rocksdb::VectorIterator>(
      std::move(keys), std::move(ends), &comparator_);
  range_tombstones_ = std::make_shared<rocksdb::FragmentedRangeTombstoneList>(
      std::move(sorted), comparator_);
}

rocksdb::FragmentedRangeTombstoneIterator* ReadTable::NewRangeTombstoneIterator(
    const rocksdb::ReadOptions& read_options) {
  const rocksdb::SequenceNumber snapshot =
      read_options.snapshot != nullptr
          ? read_options.snapshot->GetSequenceNumber()
          : rocksdb::kMaxSequenceNumber;
  return NewRangeTombstoneIterator(snapshot, read_options.timestamp);
}

rocksdb::FragmentedRangeTombstoneIterator* ReadTable::NewRangeTombstoneIterator(
    rocksdb::SequenceNumber read_seqno, const rocksdb::Slice* timestamp) {
  if (range_tombstones_ == nullptr) return nullptr;
  return new rocksdb::FragmentedRangeTombstoneIterator(
      range_tombstones_, comparator_, read_seqno, timestamp);
}

bool ReadTable::HasPrefixesOf(
    const rocksdb::SliceTransform* prefix_extractor) const {
  if (prefix_extractor == opened_with_.get()) return has_prefixes_;
  return prefix_extractor != nullptr &&
         prefix_extractor->AsString() == properties_->prefix_extractor_name;
}

// The filter is asked before anything else, and damage stays. So RocksDB has
// got nothing of the key yet if the filter fails once more. A status of the
// file system has a payload: it is no damage.
bool ReadTable::FailedByFilter(const ashlar::Status& status,
                               const ashlar::ReadOptions& options,
                               const ashlar::Slice& bare_key) const {
  if (!has_filter_ || options.skip_filters || !status.IsCorruption() ||
      status.payload() != 0) {
    return false;
  }
  ashlar::GetResult::Filter answer;
  return reader_->KeyMayMatch(options, bare_key, &answer).IsCorruption();
}

rocksdb::InternalIterator* ReadTable::NewIterator(
    const rocksdb::ReadOptions& read_options,
    const rocksdb::SliceTransform* prefix_extractor, rocksdb::Arena* arena,
    bool skip_filters, rocksdb::TableReaderCaller caller,
    size_t compaction_readahead_size, bool allow_unprepared_value) {
  WalkOptions options = {
      .read_options = read_options,
      .timestamp_size = timestamp_size_,
      .readahead_size = read_options.readahead_size,
      .tells_file = read_options.async_io,
      .allow_unprepared_value = allow_unprepared_value,
      .times = times_.get(),
      .asked_prefixes = nullptr,
      .order = comparator_.user_comparator(),
      .block_cache = block_cache_.get(),
      // Not those of compactions, as in RocksDB.
      .statistics = caller == rocksdb::TableReaderCaller::kCompaction
                        ? nullptr
                        : their_options_.stats,
      .level = level_,
      .is_last_level = level_ == their_options_.num_levels - 1};
  if (caller == rocksdb::TableReaderCaller::kCompaction) {
    options.readahead_size = compaction_readahead_size;
    if (file_loads_ahead_ && compaction_readahead_size >= kCompactionReads) {
      options.readahead_size /= kCompactionReads;
      options.tells_file = true;
    }
  }
  const bool seeks_prefixes = !read_options.total_order_seek ||
                              read_options.auto_prefix_mode ||
                              read_options.prefix_same_as_start;
  if (!skip_filters && seeks_prefixes && prefix_extractor != nullptr &&
      has_prefixes_ && has_filter_) {
    options.asked_prefixes = opened_with_.get();
    options.asks_within_bound =
        read_options.auto_prefix_mode || !HasPrefixesOf(prefix_extractor);
  }
  if (arena == nullptr) return new TableWalk(*reader_, options);
  return new (arena->AllocateAligned(sizeof(TableWalk)))
      TableWalk(*reader_, options);
}

rocksdb::Status ReadTable::Get(const rocksdb::ReadOptions& read_options,
                               const rocksdb::Slice& key,
                               rocksdb::GetContext* get_context,
                               const rocksdb::SliceTransform* prefix_extractor,
                               bool skip_filters) {
  PassedPerfContext perf(level_);
  if (!equal_keys_have_equal_bytes_) [[unlikely]] {
    return GetByWalk(read_options, key, get_context);
  }
  ashlar::ReadOptions options = ReadOptionsFrom(read_options);
  options.skip_filters = SkipsFilter(prefix_extractor, skip_filters);
  // Operands have no timestamps; versions have.
  if (get_context->has_callback() || timestamp_size_ > 0) [[unlikely]] {
    return GetByVersions(options, key, get_context, &perf);
  }
  return GetOne(options, key, get_context, &perf);
}

rocksdb::Status ReadTable::GetOne(const ashlar::ReadOptions& options,
                                  const rocksdb::Slice& key,
                                  rocksdb::GetContext* get_context,
                                  PassedPerfContext* perf) const {
  const rocksdb::Slice user_key = UserKey(key);
  FoundEntry found(user_key, get_context);
  const auto on_operand = [&found](const ashlar::MergeOperand& operand,
                                   ashlar::SequenceNumber sequence) {
    return found.TakeOperand(operand, sequence);
  };
  ashlar::GetResult result;
  const ashlar::Status status =
      reader_->Get(options, ToAshlar(user_key),
                   rocksdb::GetInternalKeySeqno(key), &result, on_operand);
  if (!status.ok() && FailedByFilter(status, options, ToAshlar(user_key)))
      [[unlikely]] {
    return GetOne(WithoutFilter(options), key, get_context, perf);
  }
  perf->TakeFilterAnswer(result);
  return found.Take(status, &result);
}

void ReadTable::MultiGet(const rocksdb::ReadOptions& read_options,
                         const rocksdb::MultiGetContext::Range* mget_range,
                         const rocksdb::SliceTransform* prefix_extractor,
                         bool skip_filters) {
  AskedKeys asked;
  for (auto each = mget_range->begin(); each != mget_range->end(); ++each) {
    asked.slices[asked.count] = ToAshlar(each->ukey_without_ts);
    asked.keys[asked.count++] = &*each;
  }
  if (asked.count == 0) return;
  PassedPerfContext perf(level_);
  if (!equal_keys_have_equal_bytes_) [[unlikely]] {
    for (size_t i = 0; i < asked.count; ++i) {
      *asked.keys[i]->s = GetByWalk(read_options, asked.keys[i]->ikey,
                                    asked.keys[i]->get_context);
    }
    return;
  }
  ashlar::ReadOptions options = ReadOptionsFrom(read_options);
  options.skip_filters = SkipsFilter(prefix_extractor, skip_filters);
  if (timestamp_size_ > 0 && read_options.timestamp != nullptr) {
    options.timestamp = ToAshlar(*read_options.timestamp);
  }
  // One read asks for all of these keys, so they have one snapshot, and all or
  // none have a callback.
  if (asked.keys[0]->get_context->has_callback() || timestamp_size_ > 0)
      [[unlikely]] {
    VisitBatch(options, asked, &perf);
  } else {
    GetBatch(options, asked, &perf);
  }
  // RocksDB sums these over the keys of a batch, for histograms by level.
  const PassedPerfContext::FileReads reads = perf.file_reads();
  rocksdb::GetContextStats& stats =
      asked.keys[0]->get_context->get_context_stats_;
  stats.num_index_read += reads.index_blocks;
  stats.num_filter_read += reads.filter_blocks;
  stats.num_sst_read += reads.other_blocks > 0 ? 1 : 0;
}

void ReadTable::GetBatch(const ashlar::ReadOptions& options,
                         const AskedKeys& asked,
                         PassedPerfContext* perf) const {
  const auto on_operand = [&asked](size_t key,
                                   const ashlar::MergeOperand& operand,
                                   ashlar::SequenceNumber sequence) {
    FoundEntry found(asked.keys[key]->ukey_with_ts,
                     asked.keys[key]->get_context);
    return found.TakeOperand(operand, sequence);
  };
  std::array<ashlar::GetResult, kMostAsked> results;
  std::array<ashlar::Status, kMostAsked> statuses;
  reader_->MultiGet(options, std::span(asked.slices.data(), asked.count),
                    rocksdb::GetInternalKeySeqno(asked.keys[0]->ikey),
                    std::span(results.data(), asked.count),
                    std::span(statuses.data(), asked.count), on_operand);
  for (size_t i = 0; i < asked.count; ++i) {
    rocksdb::KeyContext& key = *asked.keys[i];
    if (!statuses[i].ok() &&
        FailedByFilter(statuses[i], options, asked.slices[i])) [[unlikely]] {
      *key.s = GetOne(WithoutFilter(options), key.ikey, key.get_context, perf);
      continue;
    }
    FoundEntry found(key.ukey_with_ts, key.get_context);
    perf->TakeFilterAnswer(results[i]);
    *key.s = found.Take(statuses[i], &results[i]);
  }
}

void ReadTable::VisitBatch(const ashlar::ReadOptions& options,
                           const AskedKeys& asked,
                           PassedPerfContext* perf) const {
  std::vector<FoundEntry> found;
  found.reserve(asked.count);
  for (size_t i = 0; i < asked.count; ++i) {
    found.emplace_back(asked.keys[i]->ukey_with_ts, asked.keys[i]->get_context);
  }
  std::array<ashlar::Status, kMostAsked> statuses;
  reader_->VisitVersionsBatch(
      options, std::span(asked.slices.data(), asked.count),
      rocksdb::GetInternalKeySeqno(asked.keys[0]->ikey),
      std::span(statuses.data(), asked.count),
      [&found](size_t key, const ashlar::StoredVersion& version) {
        return found[key].TakeVersion(version);
      });
  const bool asks_filter = has_filter_ && !options.skip_filters;
  for (size_t i = 0; i < asked.count; ++i) {
    rocksdb::KeyContext& key = *asked.keys[i];
    if (!statuses[i].ok() &&
        FailedByFilter(statuses[i], options, asked.slices[i])) [[unlikely]] {
      *key.s = GetByVersions(WithoutFilter(options), key.ikey, key.get_context,
                             perf);
      continue;
    }
    if (asks_filter && found[i].any_version()) perf->AddTruePositive();
    *key.s = found[i].End(statuses[i]);
  }
}

rocksdb::Status ReadTable::GetByVersions(const ashlar::ReadOptions& given,
                                         const rocksdb::Slice& key,
                                         rocksdb::GetContext* get_context,
                                         PassedPerfContext* perf) const {
  const rocksdb::Slice user_key = UserKey(key);
  const ashlar::Slice bare_key(user_key.data(),
                               user_key.size() - timestamp_size_);
  const rocksdb::SequenceNumber snapshot = rocksdb::GetInternalKeySeqno(key);
  ashlar::ReadOptions options = given;
  options.timestamp = ashlar::Slice(bare_key.end(), timestamp_size_);
  FoundEntry found(user_key, get_context);
  const ashlar::Status status =
      reader_->VisitVersions(options, bare_key, snapshot,
                             [&found](const ashlar::StoredVersion& version) {
                               return found.TakeVersion(version);
                             });
  if (!status.ok() && FailedByFilter(status, options, bare_key)) [[unlikely]] {
    return GetByVersions(WithoutFilter(options), key, get_context, perf);
  }
  if (has_filter_ && !options.skip_filters && found.any_version()) {
    perf->AddTruePositive();
  }
  return found.End(status);
}

rocksdb::Status ReadTable::GetByWalk(const rocksdb::ReadOptions& read_options,
                                     const rocksdb::Slice& key,
                                     rocksdb::GetContext* get_context) const {
  const rocksdb::Slice user_key = UserKey(key);
  const ashlar::Slice bare_key(user_key.data(),
                               user_key.size() - timestamp_size_);
  ashlar::ReadOptions options = ReadOptionsFrom(read_options);
  options.timestamp = ashlar::Slice(bare_key.end(), timestamp_size_);
  options.snapshot = rocksdb::GetInternalKeySeqno(key);
  FoundEntry found(user_key, get_context);
  ashlar::Iterator walk = reader_->NewIterator(options);
  for (walk.Seek(bare_key, options.snapshot); walk.Valid(); walk.Next()) {
    if (!found.TakeEntry(&walk)) break;
  }
  return found.End(walk.status());
}

uint64_t ReadTable::ScaledOffset(const rocksdb::ReadOptions& read_options,
                                 const rocksdb::Slice& key,
                                 uint64_t if_unknown) const {
  const uint64_t data_size = properties_->data_size;
  if (data_size == 0) return if_unknown;
  const rocksdb::Slice user_key = UserKey(key);
  uint64_t offset;
  const ashlar::Status status = reader_->ApproximateOffsetOf(
      ReadOptionsFrom(read_options),
      ashlar::Slice(user_key.data(), user_key.size() - timestamp_size_),
      &offset);
  if (!status.ok()) return if_unknown;
  const double part =
      static_cast<double>(offset) / static_cast<double>(data_size);
  return static_cast<uint64_t>(part * static_cast<double>(file_size_));
}

uint64_t ReadTable::ApproximateOffsetOf(
    const rocksdb::ReadOptions& read_options, const rocksdb::Slice& key,
    rocksdb::TableReaderCaller /*caller*/) {
  return ScaledOffset(read_options, key, file_size_ / 2);
}

uint64_t ReadTable::ApproximateSize(const rocksdb::ReadOptions& read_options,
                                    const rocksdb::Slice& start,
                                    const rocksdb::Slice& end,
                                    rocksdb::TableReaderCaller /*caller*/) {
  const uint64_t from = ScaledOffset(read_options, start, 0);
  const uint64_t to = ScaledOffset(read_options, end, file_size_);
  return to > from ? to - from : 0;
}

size_t ReadTable::ApproximateMemoryUsage() const {
  size_t bytes = reader_->MemoryUsage() + properties_->ApproximateMemoryUsage();
  if (range_tombstones_ != nullptr) {
    bytes += range_tombstones_->total_tombstone_payload_bytes();
  }
  return bytes;
}

rocksdb::Status ReadTable::VerifyChecksum(
    const rocksdb::ReadOptions& read_options,
    rocksdb::TableReaderCaller /*caller*/, bool meta_blocks_only) {
  ashlar::ReadOptions options = ReadOptionsFrom(read_options);
  options.readahead_size = read_options.readahead_size;
  return ToRocksDB(reader_->VerifyChecksum(options, meta_blocks_only));
}

rocksdb::Status ReadTable::DumpTable(rocksdb::WritableFile* out_file,
                                     bool show_sequence_number_type) {
  return DumpByStock(reader_->file().name(), file_size_, their_options_,
                     comparator_, out_file, show_sequence_number_type);
}

rocksdb::Status ReadTable::ApproximateKeyAnchors(
    const rocksdb::ReadOptions& read_options, std::vector<Anchor>& anchors) {
  // RocksDB wants about 128 anchors.
  constexpr uint64_t kMostAnchors = 128;
  std::vector<ashlar::KeyAnchor> ours;
  const ashlar::Status status = reader_->ApproximateKeyAnchors(
      ReadOptionsFrom(read_options), kMostAnchors, &ours);
  if (!status.ok()) return ToRocksDB(status);
  for (ashlar::KeyAnchor& anchor : ours) {
    // RocksDB's anchors have timestamps: the newest, which comes first.
    anchor.user_key.append(timestamp_size_, static_cast<char>(0xff));
    anchors.emplace_back(anchor.user_key, anchor.bytes);
  }
  return rocksdb::Status::OK();
}

rocksdb::Status ReadTable::Prefetch(const rocksdb::ReadOptions& read_options,
                                    const rocksdb::Slice* begin,
                                    const rocksdb::Slice* end) {
  if (begin != nullptr && end != nullptr &&
      comparator_.Compare(*begin, *end) > 0) {
    return rocksdb::Status::InvalidArgument(*begin, *end);
  }
  const auto bare = [this](const rocksdb::Slice& key) {
    const rocksdb::Slice user_key = UserKey(key);
    return ashlar::Slice(user_key.data(), user_key.size() - timestamp_size_);
  };
  ashlar::Slice from;
  ashlar::Slice to;
  if (begin != nullptr) from = bare(*begin);
  if (end != nullptr) to = bare(*end);
  return ToRocksDB(reader_->Prefetch(ReadOptionsFrom(read_options),
                                     begin != nullptr ? &from : nullptr,
                                     end != nullptr ? &to : nullptr));
}

}  // namespace ashlar_rocksdb
