#include "table/load/block_loader.h"

#include <array>
#include <chrono>

#include "table/load/file_gate.h"
#include "util/io/read_files.h"

namespace ashlar::internal {

static_assert(ReadPlan::kMostBlocks >= kBlockBatchMax &&
              ReadPlan::kMostBlocks >= kTablesBatchMax);

BlockLoader::Batch::Batch(std::span<BlockRequest* const> requests,
                          const BatchedLoad* loads)
    : Batch(requests, loads, Later()) {
  if (together_) Read();
}

BlockLoader::Batch::Batch(std::span<BlockRequest* const> requests,
                          const BatchedLoad* loads, Later /*later*/)
    : loads_(loads) {
  for (size_t i = 0; i < requests.size(); ++i) {
    BlockRequest* const r = requests[i];
    const BlockSource& source = *loads_[i].loader->source_;
    r->status = source.CheckPlace(r->place);
    r->postponed = plan_.bytes() > kBlockBatchBytes;
    if (r->status.ok() && !r->postponed) {
      plan_.Add(i, &source.file(), r->place.handle,
                loads_[i].loader->coalescing_);
    }
  }
  together_ = buffer_->TryReserve(plan_.bytes());
  if (together_) plan_.GiveRoom(buffer_->data());
}

bool BlockLoader::Batch::ReadIfCached(size_t read) {
  if (plan_.reads().empty()) return true;
  ReadRequest& request = plan_.reads()[read];
  const StageTimer timer(&PerfContext::block_read_time);
  if (!internal::ReadIfCached(*plan_.file(read), &request)) return false;
  loads_[plan_.first_block(read)].loader->counters_.CountFileReads(
      1, request.size);
  return true;
}

// Does those reads of the plan that are not done yet.
void BlockLoader::Batch::ReadLeft(std::span<const bool> is_done) {
  std::array<ReadRequest, ReadPlan::kMostBlocks> left;
  std::array<size_t, ReadPlan::kMostBlocks> number;
  std::array<FileReads, ReadPlan::kMostBlocks> of_files;
  size_t num_left = 0;
  size_t num_files = 0;
  for (size_t i = 0; i < is_done.size(); ++i) {
    if (is_done[i]) continue;
    if (num_files == 0 || of_files[num_files - 1].file != plan_.file(i)) {
      of_files[num_files++] = {plan_.file(i),
                               std::span(&left[num_left], size_t{0})};
    }
    std::span<ReadRequest>& of_file = of_files[num_files - 1].requests;
    of_file = std::span(of_file.data(), of_file.size() + 1);
    number[num_left] = i;
    left[num_left++] = plan_.reads()[i];
    loads_[plan_.first_block(i)].loader->counters_.CountFileReads(
        1, plan_.reads()[i].size);
  }
  const StageTimer timer(&PerfContext::block_read_time);
  ReadFiles(std::span(of_files).first(num_files));
  for (size_t i = 0; i < num_left; ++i) plan_.reads()[number[i]] = left[i];
}

// Does the reads of the plan, and counts them for the tables that they are of.
void BlockLoader::Batch::Read() {
  const std::span<ReadRequest> reads = plan_.reads();
  std::array<FileReads, ReadPlan::kMostBlocks> of_files;
  size_t num_files = 0;
  for (size_t i = 0; i < reads.size(); ++i) {
    if (i == 0 || plan_.file(i) != plan_.file(i - 1)) {
      of_files[num_files++] = {plan_.file(i), reads.subspan(i, 0)};
    }
    std::span<ReadRequest>& of_file = of_files[num_files - 1].requests;
    of_file = std::span(of_file.data(), of_file.size() + 1);
  }
  const auto files = std::span(of_files).first(num_files);
  {
    const StageTimer timer(&PerfContext::block_read_time);
    const HistogramTimer read_timer(loads_[0].loader->counters_,
                                    Histogram::kSstReadMicros);
    if (limiting_options == nullptr) [[likely]] {
      ReadFiles(files);
    } else {
      ReadLimited(files);
    }
  }
  // Loads are in the order of their files.
  size_t at = 0;
  for (const FileReads& of_file : files) {
    while (&loads_[at].loader->source_->file() != of_file.file) ++at;
    uint64_t bytes = 0;
    for (const ReadRequest& r : of_file.requests) bytes += r.size;
    loads_[at].loader->counters_.CountFileReads(of_file.requests.size(), bytes);
  }
}

// Does reads that options limit: each file's gate is asked first. Takes what it
// refuses out of `files`. Files that may keep a time limit are read one by one.
void BlockLoader::Batch::ReadLimited(std::span<FileReads> files) const {
  std::array<FileReads, ReadPlan::kMostBlocks> together;
  size_t num_together = 0;
  size_t at = 0;
  for (FileReads& of_file : files) {
    while (&loads_[at].loader->source_->file() != of_file.file) ++at;
    uint64_t bytes = 0;
    for (const ReadRequest& r : of_file.requests) bytes += r.size;
    ReadContext context;
    const Status status = loads_[at].loader->source_->gate().Pass(
        of_file.requests[0].offset, bytes, &context);
    if (!status.ok()) {
      for (ReadRequest& r : of_file.requests) r.status = status;
      of_file.requests = {};
    } else if (FileGate::IsToBeGiven(context) &&
               of_file.file->FileDescriptor() < 0) {
      of_file.file->MultiReadWithin(context, of_file.requests);
    } else {
      together[num_together++] = of_file;
    }
  }
  ReadFiles(std::span(together).first(num_together));
}

BlockLoader::Batch::~Batch() { TrimSpare(buffer_.get()); }

Status BlockLoader::Batch::Load(size_t i, const BlockPlace& place,
                                bool verify_checksum, LoadedBlock* to) const {
  const BlockSource& source = *loads_[i].loader->source_;
  // Read one by one they may fit.
  if (!together_ || plan_.IsToReadAlone(i, place.handle)) {
    return source.LoadOwned(place, verify_checksum, to);
  }
  if (!plan_.StatusOf(i).ok()) return plan_.StatusOf(i);
  Status status = source.LoadFrom(place, plan_.BytesOf(i, place.handle),
                                  verify_checksum, to);
  return status.ok() && loads_[i].to_own ? OwnContents(place, to) : status;
}

void TrimSpare(Buffer* kept) {
  constexpr size_t kMostKept = size_t{1} << 20;
  if (kept->capacity() > kMostKept) *kept = Buffer();
}

}  // namespace ashlar::internal
