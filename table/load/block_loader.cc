#include "table/load/block_loader.h"

namespace ashlar::internal {

static_assert(ReadPlan::kMostBlocks == kBlockBatchMax);

BlockLoader::Batch::Batch(const BlockLoader& loader,
                          std::span<BlockRequest* const> requests, bool to_own)
    : source_(*loader.source_), to_own_(to_own) {
  for (size_t i = 0; i < requests.size(); ++i) {
    BlockRequest* const r = requests[i];
    r->status = source_.CheckPlace(r->place);
    r->postponed = plan_.bytes() > kBlockBatchBytes;
    if (r->status.ok() && !r->postponed) plan_.Add(i, r->place.handle);
  }
  together_ = buffer_->TryReserve(plan_.bytes());
  if (!together_) return;
  plan_.GiveRoom(buffer_->data());
  {
    const StageTimer timer(&PerfContext::block_read_time);
    source_.file().MultiRead(plan_.reads());
  }
  loader.counters_.CountFileReads(plan_.reads().size(), plan_.bytes());
}

BlockLoader::Batch::~Batch() { TrimSpare(buffer_.get()); }

Status BlockLoader::Batch::Load(size_t i, const BlockPlace& place,
                                bool verify_checksum, LoadedBlock* to) const {
  // Read one by one they may fit.
  if (!together_ || plan_.IsToReadAlone(i, place.handle)) {
    return source_.LoadOwned(place, verify_checksum, to);
  }
  if (!plan_.StatusOf(i).ok()) return plan_.StatusOf(i);
  Status status = source_.LoadFrom(place, plan_.BytesOf(i, place.handle),
                                   verify_checksum, to);
  return status.ok() && to_own_ ? OwnContents(place, to) : status;
}

void TrimSpare(Buffer* kept) {
  constexpr size_t kMostKept = size_t{1} << 20;
  if (kept->capacity() > kMostKept) *kept = Buffer();
}

}  // namespace ashlar::internal
