#include "table/inspect/inspected_file.h"

#include "port/huge_pages.h"
#include "util/compress/known_types.h"
#include "util/mem/memory_limit.h"

namespace ashlar::internal {

bool PassReads::GoesOnToBlock(size_t i, uint64_t done) {
  constexpr size_t kBlocksPerReport = 256;
  constexpr uint64_t kBytesPerReport = uint64_t{1} << 20;
  const bool due = (i != 0 && i % kBlocksPerReport == 0) ||
                   reads_->bytes_sought - reported_at_ >= kBytesPerReport;
  if (!due) return true;
  reported_at_ = reads_->bytes_sought;
  return findings_.ReportProgress(done);
}

bool InspectedFile::Decodes(const BlockPlace& data_block) const {
  return options_.decode &&
         (!options_.decodes_block || options_.decodes_block(*data_block.index));
}

// Returns whether the step may read this block too. A block outside of the file
// is not read anyway.
bool InspectedFile::MaySeek(const BlockPlace& place, ThreadReads* reads) const {
  if (!place.handle.FitsBelow(footer().offset)) return true;
  const uint64_t bytes = place.handle.size + kBlockTrailerSize;
  if (bytes > reads->most_bytes_sought - reads->bytes_sought) return false;
  reads->bytes_sought += bytes;
  return true;
}

// Makes room for a filter in huge pages, since it is asked about keys in no
// order. Makes none if no block can be at its place.
void InspectedFile::ExpectFilter(const BlockHandle& handle,
                                 Buffer* stored) const {
  const uint64_t bytes = handle.size + kBlockTrailerSize;
  if (stored->capacity() >= bytes || !handle.FitsBelow(footer().offset)) {
    return;
  }
  *stored = Buffer();
  if (stored->TryReserve(bytes)) port::UseHugePages(stored->data(), bytes);
}

// Returns whether the block needs a dictionary that is damaged.
bool InspectedFile::LacksDictionary(const StoredBlock& stored) const {
  const KnownCompressionType* const known =
      FindKnownType(static_cast<CompressionType>(stored.compression_type));
  const bool uses_dictionary = known == nullptr || known->uses_dictionary;
  return uses_dictionary && source_.dictionary_bytes() == 0 &&
         names_dictionary_;
}

bool InspectedFile::Read(const BlockPlace& place, ThreadReads* reads,
                         BlockInfo* info, Slice* contents) const {
  info->kind = place.kind;
  info->index = place.index.value_or(0);
  info->offset = place.handle.offset;
  info->size = place.handle.size;
  if (!MaySeek(place, reads)) {
    info->status = place.Corruption("overlap",
                                    "this block and the blocks named before it "
                                    "are together larger than the file");
    return false;
  }
  StoredBlock stored;
  // A filter may be large, so it is asked where it was read to, without a copy.
  const bool stays = place.kind == BlockKind::kFilter;
  if (stays) ExpectFilter(place.handle, &reads->workspace.stored);
  info->status =
      source_.ReadStored(place, true, stays ? nullptr : &reads->window,
                         &reads->workspace.stored, &stored);
  ThrowIfOutOfMemory(info->status);
  if (!info->status.ok()) return false;
  reads->bytes_checked += place.handle.size + kBlockTrailerSize;
  info->compression_type = stored.compression_type;
  info->stored_checksum = stored.stored_checksum;
  info->computed_checksum = stored.computed_checksum;
  info->status = BlockSource::CheckChecksum(place, stored);
  if (!info->status.ok()) return false;
  if (stored.compression_type == 0) {
    *contents = stored.payload;
    info->raw_size = stored.payload.size();
    return true;
  }
  // The metaindex and what it leads to are needed even if nothing else is
  // decoded.
  if (place.kind == BlockKind::kData && !Decodes(place)) return false;
  if (place.kind == BlockKind::kData && LacksDictionary(stored)) {
    info->status = place.Corruption("bad compressed data",
                                    "its dictionary cannot be read");
    return false;
  }
  Buffer* const owned = &reads->loaded.owned;
  owned->clear();
  info->status =
      source_.Decompress(place, stored, &reads->workspace.decompressor, owned);
  ThrowIfOutOfMemory(info->status);
  if (!info->status.ok()) return false;
  *contents = owned->slice();
  info->raw_size = contents->size();
  return true;
}

bool InspectedFile::Peek(const BlockPlace& place, ThreadReads* reads,
                         Slice* contents) const {
  if (!MaySeek(place, reads)) return false;
  StoredBlock stored;
  Status status = source_.ReadStored(place, true, &reads->window,
                                     &reads->workspace.stored, &stored);
  ThrowIfOutOfMemory(status);
  if (!status.ok() || !BlockSource::CheckChecksum(place, stored).ok()) {
    return false;
  }
  *contents = stored.payload;
  if (stored.compression_type == 0) return true;
  reads->loaded.owned.clear();
  status = source_.Decompress(place, stored, &reads->workspace.decompressor,
                              &reads->loaded.owned);
  ThrowIfOutOfMemory(status);
  if (!status.ok()) return false;
  *contents = reads->loaded.owned.slice();
  return true;
}

}  // namespace ashlar::internal
