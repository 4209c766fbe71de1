#include "table/load/block_source.h"

#include <bitset>
#include <memory>
#include <string>

#include "table/format/block_trailer.h"
#include "table/load/block_memory.h"
#include "util/compress/custom_blocks.h"
#include "util/mem/thread_spare.h"

namespace ashlar::internal {

namespace {

// Ingestion may have overwritten the global sequence number in the properties
// block. The checksum is then that of the block with zeros there.
uint32_t ChecksumWithoutSeqno(const StoredBlock& stored, const Footer& footer,
                              uint64_t offset, uint32_t computed) {
  const size_t position = FindGlobalSeqno(stored.payload);
  if (position == 0) return computed;
  std::string zeroed = stored.payload.ToString();
  StoreFixed64(zeroed.data() + position, 0);
  return BlockChecksum(footer.checksum, footer.base_context_checksum, offset,
                       zeroed, stored.compression_type);
}

// The workspace that a thread keeps for its loads. It is behind a pointer,
// since a ThreadSpare moves what it has.
class WorkspaceOfThread {
 public:
  WorkspaceOfThread() {
    if (*kept_.get() == nullptr) {
      *kept_.get() = std::make_unique<BlockWorkspace>();
    }
  }
  BlockWorkspace* get() { return kept_->get(); }
  BlockWorkspace* operator->() { return get(); }

 private:
  ThreadSpare<std::unique_ptr<BlockWorkspace>, BlockSource> kept_;
};

Status ReadWhole(const RandomAccessFile& file, const FileGate& gate,
                 const BlockPlace& place, uint64_t n,
                 const ReadCounters& counters, FileWindow* window,
                 Buffer* scratch, Slice* data) {
  const StageTimer timer(&PerfContext::block_read_time);
  if (window != nullptr) return window->Read(place.handle.offset, n, data);
  scratch->clear();
  if (!scratch->TryReserve(static_cast<size_t>(n))) {
    return place.NoMemory();
  }
  Status status;
  {
    const HistogramTimer read_timer(counters, Histogram::kSstReadMicros);
    status = gate.Read(file, place.handle.offset, static_cast<size_t>(n),
                       scratch->data(), data);
  }
  counters.CountFileReads(1, data->size());
  if (!status.ok()) return status;
  if (data->data() != scratch->data()) {
    scratch->Append(*data);
    *data = scratch->slice();
  } else {
    scratch->Advance(data->size());
  }
  return {};
}

}  // namespace

BlockSource::BlockSource(const RandomAccessFile* file, const Footer& footer,
                         uint64_t max_uncompressed_bytes, ReadCounters counters)
    : file_(file),
      footer_(footer),
      max_uncompressed_bytes_(max_uncompressed_bytes),
      counters_(counters) {}

BlockSource::~BlockSource() = default;

Status BlockSource::CheckPlace(const BlockPlace& place) const {
  if (place.handle.FitsBelow(footer_.offset)) [[likely]]
    return {};
  return place.Corruption(
      "bad block handle",
      "expected to end by " + std::to_string(footer_.offset));
}

Status BlockSource::ReadStored(const BlockPlace& place, bool checksum,
                               FileWindow* window, Buffer* scratch,
                               StoredBlock* stored) const {
  Status status = CheckPlace(place);
  if (!status.ok()) return status;
  Slice data;
  status =
      ReadWhole(*file_, gate_, place, place.handle.size + kBlockTrailerSize,
                counters_, window, scratch, &data);
  return status.ok() ? Interpret(place, data, checksum, stored) : status;
}

Status BlockSource::Interpret(const BlockPlace& place, const Slice& data,
                              bool checksum, StoredBlock* stored) const {
  const BlockHandle& handle = place.handle;
  const uint64_t n = handle.size + kBlockTrailerSize;
  counters_.CountBlockRead(place.kind, data.size());
  if (data.size() != n) {
    return place.Corruption("truncated block read",
                            "expected " + std::to_string(n) +
                                " bytes with the trailer, found " +
                                std::to_string(data.size()));
  }
  stored->payload = Slice(data.data(), static_cast<size_t>(handle.size));
  const char* const trailer = stored->payload.end();
  stored->compression_type = static_cast<uint8_t>(trailer[0]);
  stored->stored_checksum = LoadFixed32(trailer + 1);
  if (!checksum) {
    stored->computed_checksum = stored->stored_checksum;
    return {};
  }
  const StageTimer timer(&PerfContext::block_checksum_time);
  stored->computed_checksum =
      BlockChecksum(footer_.checksum, footer_.base_context_checksum,
                    handle.offset, stored->payload, stored->compression_type);
  if (!stored->matches() && place.kind == BlockKind::kProperties) {
    stored->computed_checksum = ChecksumWithoutSeqno(
        *stored, footer_, handle.offset, stored->computed_checksum);
  }
  counters_.CountChecksum(stored->matches());
  return {};
}

Status BlockSource::CheckChecksum(const BlockPlace& place,
                                  const StoredBlock& stored) {
  if (stored.matches()) [[likely]]
    return {};
  return place.Corruption(
      "block checksum mismatch",
      "stored = " + std::to_string(stored.stored_checksum) +
          ", computed = " + std::to_string(stored.computed_checksum) +
          ", type = " + std::to_string(stored.compression_type));
}

void BlockSource::Declare(
    const DeclaredCompression& declared,
    std::span<const std::shared_ptr<const CustomCodec>> codecs) {
  declared_ = declared;
  if (declared.codec_name.empty()) return;
  custom_ = std::make_unique<CustomBlocks>(
      declared.codec_name, FindCustomCodec(codecs, declared.codec_name));
}

Status BlockSource::CheckDictionary(const Slice& contents,
                                    const BlockPlace& place) {
  if (!contents.empty()) return {};
  return place.Corruption("bad dictionary", "the dictionary is empty");
}

std::bitset<256> BlockSource::types() const {
  return declared_.declared ? declared_.types : std::bitset<256>().set();
}

Status BlockSource::TakeDictionary(const Slice& contents,
                                   const BlockPlace& place) {
  Status sound = CheckDictionary(contents, place);
  if (!sound.ok()) return sound;
  dictionary_bytes_ = contents.size();
  if (custom_ != nullptr) {
    Status status = custom_->TakeDictionary(contents);
    if (!status.ok()) return place.Wrap("bad dictionary", status);
  }
  dictionary_ = std::make_unique<DecompressionDictionary>(contents, types());
  return {};
}

// Returns Corruption unless the file declares the compression type.
Status BlockSource::CheckType(const BlockPlace& place,
                              const StoredBlock& stored) const {
  if (declared_.Allows(stored.compression_type)) [[likely]]
    return {};
  return place.Corruption(
      "bad compression type",
      "found " + std::to_string(stored.compression_type) +
          ", which the property rocksdb.compression does not declare");
}

Status BlockSource::Decompress(const BlockPlace& place,
                               const StoredBlock& stored,
                               Decompressor* decompressor, Buffer* out) const {
  Status status = CheckType(place, stored);
  CachedDictionaryHandle held;
  const DecompressionDictionary* dictionary;
  if (status.ok()) status = NeedDictionary(place, &held, &dictionary);
  if (!status.ok()) return status;
  const DecompressLimits limits{static_cast<size_t>(max_uncompressed_bytes_)};
  const bool is_data = place.kind == BlockKind::kData;
  const auto type = static_cast<CompressionType>(stored.compression_type);
  const StageTimer timer(&PerfContext::block_decompress_time);
  const HistogramTimer codec_timer(counters_,
                                   Histogram::kDecompressionTimesNanos);
  if (custom_ != nullptr && custom_->Handles(type)) [[unlikely]] {
    status = custom_->Decompress(type, stored.payload, limits, is_data, out);
  } else {
    status = decompressor->Decompress(type, footer_.traits().compress_format,
                                      stored.payload, limits, out, dictionary);
  }
  counters_.CountDecompressed(stored.payload.size(), out->size());
  if (status.ok()) [[likely]]
    return {};
  return place.Wrap("bad compressed data", status);
}

// Decompresses the payload into the block's room, if it has one and the size is
// known; else into its buffer.
Status BlockSource::DecompressInto(const BlockPlace& place,
                                   const StoredBlock& stored,
                                   Decompressor* decompressor,
                                   LoadedBlock* block) const {
  const auto type = static_cast<CompressionType>(stored.compression_type);
  const bool is_custom = custom_ != nullptr && custom_->Handles(type);
  if (block->room != nullptr && !is_custom) {
    Status status = CheckType(place, stored);
    CachedDictionaryHandle held;
    const DecompressionDictionary* dictionary;
    if (status.ok()) status = NeedDictionary(place, &held, &dictionary);
    if (!status.ok()) return status;
    const DecompressLimits limits{static_cast<size_t>(max_uncompressed_bytes_)};
    const StageTimer timer(&PerfContext::block_decompress_time);
    const HistogramTimer codec_timer(counters_,
                                     Histogram::kDecompressionTimesNanos);
    Decompressor::Begun begun;
    status = decompressor->Begin(type, footer_.traits().compress_format,
                                 stored.payload, limits, &begun);
    char* const to = status.ok() && begun.is_sized
                         ? block->room->Take(begun.raw_size())
                         : nullptr;
    if (to != nullptr) {
      status = Decompressor::DecodeTo(begun, dictionary, to);
      block->contents = Slice(to, status.ok() ? begun.raw_size() : 0);
    }
    if (to != nullptr || !status.ok()) {
      counters_.CountDecompressed(stored.payload.size(),
                                  block->contents.size());
      return status.ok() ? status : place.Wrap("bad compressed data", status);
    }
  }
  Status status = Decompress(place, stored, decompressor, &block->owned);
  if (status.ok()) block->contents = block->owned.slice();
  return status;
}

Status BlockSource::Load(const BlockPlace& place, bool verify_checksum,
                         FileWindow* window, BlockWorkspace* workspace,
                         LoadedBlock* block) const {
  block->contents = Slice();
  block->owned.clear();
  if (block->room != nullptr && window == nullptr && AllRaw()) {
    return LoadRaw(place, verify_checksum, &workspace->decompressor, block);
  }
  StoredBlock stored;
  // A block that turns out to be uncompressed stays where it was read to.
  Status status =
      ReadStored(place, verify_checksum, window, &block->owned, &stored);
  if (status.ok()) status = CheckChecksum(place, stored);
  if (!status.ok()) return status;
  if (stored.compression_type == 0) {
    block->contents = stored.payload;
    return {};
  }
  if (window == nullptr) {
    // The payload does not move: its memory now belongs to the workspace.
    std::swap(block->owned, workspace->stored);
    block->owned.clear();
  }
  return DecompressInto(place, stored, &workspace->decompressor, block);
}

// Reads a block of a file without compression to where it stays. Its trailer is
// read too, into the slack after it.
Status BlockSource::LoadRaw(const BlockPlace& place, bool verify_checksum,
                            Decompressor* decompressor,
                            LoadedBlock* block) const {
  static_assert(BlockRoom::kSlack >= kBlockTrailerSize);
  Status status = CheckPlace(place);
  if (!status.ok()) return status;
  const auto size = static_cast<size_t>(place.handle.size);
  char* const to = block->room->Take(size);
  if (to == nullptr) return place.NoMemory();
  Slice data;
  {
    const StageTimer timer(&PerfContext::block_read_time);
    const HistogramTimer read_timer(counters_, Histogram::kSstReadMicros);
    status = gate_.Read(*file_, place.handle.offset, size + kBlockTrailerSize,
                        to, &data);
    counters_.CountFileReads(1, data.size());
  }
  StoredBlock stored;
  if (status.ok()) status = Interpret(place, data, verify_checksum, &stored);
  if (status.ok()) status = CheckChecksum(place, stored);
  if (!status.ok()) return status;
  if (stored.compression_type != 0) {
    // An error: no type is declared.
    return Decompress(place, stored, decompressor, &block->owned);
  }
  block->contents = stored.payload;
  return {};
}

Status BlockSource::LoadFrom(const BlockPlace& place, const Slice& data,
                             bool verify_checksum, LoadedBlock* block) const {
  WorkspaceOfThread workspace;
  StoredBlock stored;
  block->contents = Slice();
  block->owned.clear();
  Status status = Interpret(place, data, verify_checksum, &stored);
  if (status.ok()) status = CheckChecksum(place, stored);
  if (!status.ok()) return status;
  if (stored.compression_type == 0) {
    block->contents = stored.payload;
    return {};
  }
  return DecompressInto(place, stored, &workspace->decompressor, block);
}

Status BlockSource::LoadOwned(const BlockPlace& place, bool verify_checksum,
                              LoadedBlock* block) const {
  WorkspaceOfThread workspace;
  Status status = Load(place, verify_checksum, nullptr, workspace.get(), block);
  // The thread must not keep the memory of one huge block for ever.
  constexpr size_t kMostKept = size_t{1} << 20;
  if (workspace->stored.capacity() > kMostKept) workspace->stored = Buffer();
  return status;
}

Status BlockSource::LoadAligned(const BlockPlace& place, bool verify_checksum,
                                FileWindow* window, AlignedBytes* bytes) const {
  Status status = CheckPlace(place);
  if (!status.ok()) return status;
  const auto n = static_cast<size_t>(place.handle.size + kBlockTrailerSize);
  Slice data;
  if (window != nullptr) {
    status = window->Read(place.handle.offset, n, &data);
  } else if (bytes->Resize(n)) {
    const StageTimer timer(&PerfContext::block_read_time);
    const HistogramTimer read_timer(counters_, Histogram::kSstReadMicros);
    status = gate_.Read(*file_, place.handle.offset, n, bytes->data(), &data);
    counters_.CountFileReads(1, data.size());
  } else {
    status = place.NoMemory();
  }
  if (!status.ok()) return status;
  LoadedBlock block;
  status = LoadFrom(place, data, verify_checksum, &block);
  if (!status.ok()) return status;
  if (block.contents.data() == bytes->data()) {
    bytes->Truncate(block.contents.size());
    return {};
  }
  return bytes->Assign(block.contents) ? Status() : place.NoMemory();
}

}  // namespace ashlar::internal
