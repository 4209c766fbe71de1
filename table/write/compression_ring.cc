#include "table/write/compression_ring.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <string>

#include "port/thread_cpu.h"
#include "port/threads.h"
#include "util/mem/memory_limit.h"
#include "util/sync/ticket_queue.h"

namespace ashlar::internal {

namespace {

// How many runs a worker does here while other builders wait.
constexpr int kRunsATurn = 4;

// Enough slots that every worker has one, one is being written, and the emit
// thread finds a free one.
//
// If blocks are stored raw, workers only write, and one at a time. Fewer slots
// then keep what the worker reads in the processor's cache.
RingShape ShapeFor(uint32_t workers, bool stores_raw) {
  constexpr uint32_t kSlots = 16;
  constexpr uint32_t kRawSlots = 4;
  if (stores_raw) return {kRawSlots, std::min(workers, uint32_t{1})};
  workers = std::min(workers, kMaxRingWorkers);
  return {std::clamp(2 * workers + 2, kSlots, kMaxRingSlots), workers};
}

}  // namespace

CompressionRing::CompressionRing(const RingOptions& options,
                                 BuildWorkers* workers, BlockWriter* writer)
    : options_(options),
      shape_(ShapeFor(workers->for_blocks(), options.stores_raw)),
      protocol_(shape_),
      writer_(writer),
      workers_(workers),
      next_offset_(writer->offset()),
      job_({&Attend, this}),
      slots_(shape_.slots) {
  if (options.charge != nullptr) charge_ = options.charge->Sibling();
  ChargeBuffers(0);
  filling_.Reserve(run_bytes());
}

CompressionRing::~CompressionRing() {
  if (!ended_) {
    job_.Move([this](const RingState& s) { return protocol_.Fail(s, false); });
    EndWorkers();
  }
}

void CompressionRing::Attend(void* ring, uint32_t worker) {
  static_cast<CompressionRing*>(ring)->WorkAs(worker);
}

void CompressionRing::WorkAs(uint32_t worker) {
  WorkerPool::State* const pool = job_.pool();
  job_.Move([this](const RingState& s) { return protocol_.Arrive(s); });
  for (int runs = 0;; ++runs) {
    WaitForWork();
    const bool yield = runs >= kRunsATurn && pool->OthersWait();
    const RingStep step = job_.Move([this, yield](const RingState& s) {
      return yield ? protocol_.Yield(s) : protocol_.Look(s);
    });
    if (step.task == RingTask::kLeave) return;
    notes_[worker].Store(NoteOf(step));
    const uint64_t before = port::ThreadCpuNanoseconds();
    if (step.task == RingTask::kWrite) {
      Write(step);
    } else {
      Compress(step, worker);
    }
    // The owner waits until this thread leaves, and sees the sum then.
    worker_cpu_nanos_.FetchAdd(port::ThreadCpuNanoseconds() - before);
  }
}

// To leave and to be sent for again costs more than a short wait.
void CompressionRing::WaitForWork() const {
  constexpr int kSpins = 100;
  for (int i = 0; i < kSpins; ++i) {
    const RingState s = job_.Look();
    if (s.failed || s.RawWaits() || s.HeadReady()) return;
    port::CpuPause();
  }
}

Status CompressionRing::Add(const Slice& block,
                            std::vector<WrittenBlock>* written) {
  const bool in_place = block.data() == filling_.data() + filling_end_;
  if (!in_place) filling_.Append(block);
  assert(filling_.size() - filling_end_ == block.size());
  filling_blocks_.push_back({.raw_bytes = block.size()});
  // Without a codec the block is sealed in this buffer.
  const uint64_t seal_size = writer_->SealSize(block.size());
  filling_.Reserve(seal_size);
  if (options_.stores_raw) PlaceLast(&filling_blocks_.back(), seal_size);
  filling_.Advance(seal_size);
  filling_end_ = filling_.size();
  if (filling_end_ < options_.slot_bytes) return {};
  Status published = PublishRun(written);
  if (!published.ok() || WaitForRoom()) return published;
  EndWorkers();
  return error_;
}

// Seals the block at the end of the buffer, where it will be in the file.
void CompressionRing::PlaceLast(WrittenBlock* block, uint64_t seal_size) {
  block->handle = {next_offset_, block->raw_bytes};
  const Slice payload(filling_.data() + filling_end_, block->raw_bytes);
  writer_->SealAt(next_offset_, payload, block->type, filling_.end());
  next_offset_ += block->raw_bytes + seal_size;
}

// Charges the buffer that is filled, and those of so many slots, as if each of
// them were as large as the largest.
void CompressionRing::ChargeBuffers(uint32_t slots) {
  if (!charge_.any()) return;
  const uint64_t buffer =
      std::max(Buffer().RoomWith(run_bytes()), filling_.room());
  const uint64_t list = filling_blocks_.capacity() * sizeof(WrittenBlock);
  charge_.CoverOrThrow((2 * slots + 1) * buffer + (slots + 1) * list);
}

Status CompressionRing::PublishRun(std::vector<WrittenBlock>* written) {
  charged_slots_ = std::min(charged_slots_ + 1, shape_.slots);
  ChargeBuffers(charged_slots_);
  if (!job_.begun()) {
    // Those that the ring has no use for help with the filter.
    WorkerPool::State* const pool =
        workers_->Start(std::min(workers_->for_blocks(), kMaxRingWorkers));
    compressors_.resize(pool->threads() + 1);
    notes_ = std::vector<ThreadNote>(pool->threads() + 1);
    job_.Begin(pool, {&AppendState, this});
  }
  if (!WorkUntilInFlight(shape_.slots - 1)) {
    EndWorkers();
    return error_;
  }
  Slot& slot = slots_[next_slot_];
  next_slot_ = (next_slot_ + 1) % shape_.slots;
  Deliver(&slot, written);
  largest_run_ = std::max(largest_run_, filling_end_);
  if (options_.stores_raw) writer_->Sum(filling_.slice());
  std::swap(slot.raw, filling_);
  filling_.Reserve(run_bytes());
  std::swap(slot.blocks, filling_blocks_);
  filling_end_ = 0;
  job_.Move([this](const RingState& s) { return protocol_.Publish(s); });
  return {};
}

// Returns how many slots may be in flight, if none of them shrinks and one more
// is being filled.
uint32_t CompressionRing::MostInFlight(uint64_t end) const {
  const uint64_t at = writer_->Written().offset;
  if (at >= end) return shape_.slots - 1;  // the caller did not end it there
  const uint64_t runs = std::max<uint64_t>((end - at) / largest_run_, 1);
  return static_cast<uint32_t>(std::min<uint64_t>(runs, shape_.slots) - 1);
}

// Looks again after each wait: what was written meanwhile may have taken more
// room than it was given.
bool CompressionRing::WaitForRoom() {
  const uint64_t end =
      options_.end_of_data ? options_.end_of_data() : UINT64_MAX;
  uint32_t most = shape_.slots;
  for (uint32_t now; (now = MostInFlight(end)) < most;) {
    most = now;
    if (!WorkUntilInFlight(most)) return false;
  }
  return true;
}

bool CompressionRing::WorkUntilInFlight(uint32_t most) {
  for (;;) {
    const RingStep step = job_.Move([this, most](const RingState& s) {
      return protocol_.LookForEmit(s, most);
    });
    notes_.back().Store(NoteOf(step));
    if (step.task == RingTask::kProceed) return !step.next.failed;
    DoEmitTask(step);
  }
}

void CompressionRing::DoEmitTask(const RingStep& step) {
  if (step.task == RingTask::kCompress) {
    Compress(step, job_.pool()->threads());
  } else if (step.task == RingTask::kWrite) {
    Write(step);
  } else {
    job_.Sleep();
  }
}

Status CompressionRing::Finish(std::vector<WrittenBlock>* written) {
  if (!filling_blocks_.empty()) {
    Status status = PublishRun(written);
    if (!status.ok()) return status;
  }
  if (job_.begun()) {
    job_.Move([this](const RingState& s) { return protocol_.Close(s); });
    const bool ok = WorkUntilInFlight(0);
    EndWorkers();
    if (!ok) return error_;
  }
  ended_ = true;
  // In order: the oldest is the slot that would be filled next.
  for (uint32_t i = 0; i < shape_.slots; ++i) {
    Deliver(&slots_[(next_slot_ + i) % shape_.slots], written);
  }
  return {};
}

// Afterwards no other thread touches the ring.
void CompressionRing::EndWorkers() {
  ended_ = true;
  if (job_.begun()) job_.End(protocol_);
}

Status CompressionRing::CompressorOf(uint32_t thread,
                                     BlockCompressor** compressor) {
  std::optional<BlockCompressor>& own = compressors_[thread];
  if (!own.has_value()) {
    const MutexLock lock(&compressors_mutex_);
    Result<BlockCompressor> made = options_.new_compressor();
    if (!made.ok()) return made.status();
    own.emplace(std::move(made).value());
  }
  *compressor = &*own;
  return {};
}

// Neither this nor Write may throw: not on a worker's thread, and not while the
// slot is claimed.
void CompressionRing::Compress(const RingStep& step, uint32_t thread) {
  Status status = OrMemoryLimit([&] {
    if (options_.stores_raw) {
      std::swap(slots_[step.slot].raw, slots_[step.slot].stored);
      return Status();
    }
    BlockCompressor* compressor = nullptr;
    Status made = CompressorOf(thread, &compressor);
    if (made.ok()) CompressSlot(&slots_[step.slot], compressor);
    return made;
  });
  if (!status.ok()) return Fail(status, false);
  const bool by_emit = thread == job_.pool()->threads();
  job_.Move([this, &step, by_emit](const RingState& s) {
    return protocol_.Compressed(s, step.slot, by_emit);
  });
}

void CompressionRing::CompressSlot(Slot* slot,
                                   BlockCompressor* compressor) const {
  if (!compressor->active()) return SealRaw(slot);
  slot->stored.clear();
  slot->stored.Reserve(std::max(run_bytes(), slot->raw.size()));
  const char* next = slot->raw.data();
  for (size_t i = 0; i < slot->blocks.size(); ++i) {
    WrittenBlock& block = slot->blocks[i];
    const Slice raw(next, block.raw_bytes);
    next += raw.size() + writer_->SealSize(raw.size());
    const size_t begin = slot->stored.size();
    bool compressed;
    slot->fault = compressor->Compress(raw, &slot->stored, &compressed);
    if (compressed) {
      block.type = compressor->type();
    } else {
      slot->stored.Append(raw);
    }
    block.handle.size = slot->stored.size() - begin;
    if (!slot->fault.ok()) [[unlikely]] {
      slot->unverified = i;
      return;
    }
    writer_->SealLast(begin, block.type, &slot->stored);
  }
}

// Without a codec, blocks are stored as they are, in the memory that they were
// built in.
void CompressionRing::SealRaw(Slot* slot) const {
  std::swap(slot->raw, slot->stored);
  char* next = slot->stored.data();
  for (WrittenBlock& block : slot->blocks) {
    const Slice payload(next, block.raw_bytes);
    block.handle.size = payload.size();
    writer_->Seal(payload, block.type, next + payload.size());
    next += payload.size() + writer_->SealSize(payload.size());
  }
}

void CompressionRing::Write(RingStep step) {
  for (;;) {
    Status status =
        OrMemoryLimit([&] { return WriteSlot(&slots_[step.slot]); });
    if (!status.ok()) return Fail(status, true);
    step = job_.Move([this](const RingState& s) { return protocol_.Wrote(s); });
    if (step.task != RingTask::kWrite) return;
  }
}

Status CompressionRing::WriteSlot(Slot* slot) {
  if (options_.stores_raw) {
    Status passed = writer_->AppendPlaced(slot->stored.slice(), slot->blocks);
    slot->stored.clear();
    return passed;
  }
  std::span<WrittenBlock> sound = slot->blocks;
  if (!slot->fault.ok()) [[unlikely]] {
    sound = sound.first(slot->unverified);
  }
  Status status = writer_->AppendRun(&slot->stored, sound);
  if (!status.ok() || slot->fault.ok()) [[likely]] {
    return status;
  }
  const uint64_t size = slot->blocks[slot->unverified].handle.size;
  return LocateUnverified(
      slot->fault, writer_->file_name(),
      {BlockKind::kData, writer_->NextHandle(size), writer_->num_blocks()});
}

// Runs on the emit thread, which owns the slot again.
void CompressionRing::Deliver(Slot* slot,
                              std::vector<WrittenBlock>* written) const {
  written->insert(written->end(), slot->blocks.begin(), slot->blocks.end());
  slot->blocks.clear();
  slot->raw.clear();
}

void CompressionRing::AppendState(const void* ring, std::string* out) {
  const auto* const self = static_cast<const CompressionRing*>(ring);
  *out += "  ring, job " + std::to_string(reinterpret_cast<uintptr_t>(ring)) +
          ": " + DescribeRingState(self->job_.Look()) + "\n";
  for (size_t i = 0; i < self->notes_.size(); ++i) {
    // What the worker did last: a worker that has left writes no note.
    *out += i + 1 == self->notes_.size()
                ? std::string("  emit thread ")
                : "  worker " + std::to_string(i) + " ";
    *out += DescribeNote(self->notes_[i].Load()) + "\n";
  }
}

void CompressionRing::Fail(const Status& error, bool drop_writer_role) {
  bool first = false;
  job_.Move([this, &first, drop_writer_role](const RingState& s) {
    first = !s.failed;
    return protocol_.Fail(s, drop_writer_role);
  });
  if (first) error_ = error;
}

}  // namespace ashlar::internal
