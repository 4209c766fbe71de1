#include "table/write/compression_ring.h"

#include <algorithm>
#include <cassert>
#include <new>
#include <string>

#include "port/threads.h"
#include "table/format/block_trailer.h"
#include "util/mem/memory_limit.h"
#include "util/sync/ticket_queue.h"

namespace ashlar::internal {

namespace {

// How many runs a worker does here while other builders wait.
constexpr int kRunsATurn = 4;

// Enough slots that every worker has one, one is being written, and the emit
// thread finds a free one.
RingShape ShapeFor(uint32_t workers) {
  constexpr uint32_t kSlots = 16;
  workers = std::min(workers, kMaxRingWorkers);
  return {std::clamp(2 * workers + 2, kSlots, kMaxRingSlots), workers};
}

}  // namespace

CompressionRing::CompressionRing(const RingOptions& options, uint32_t workers,
                                 WorkerPool* shared_pool, WritableFile* file,
                                 uint64_t offset)
    : options_(options),
      shape_(ShapeFor(workers)),
      protocol_(shape_),
      file_(file),
      pool_(shared_pool == nullptr ? nullptr : shared_pool->state()),
      slots_(shape_.slots),
      offset_(offset),
      progress_(offset) {
  filling_.Reserve(run_bytes());
}

CompressionRing::~CompressionRing() {
  if (!ended_) {
    Move([this](const RingState& s) { return protocol_.Fail(s, false); });
    EndWorkers();
  }
}

// Does one compare-exchange, and then posts the tokens that it promised. What
// that needs is read first: after a worker's last step the ring may be gone.
template <typename Choose>
RingStep CompressionRing::Move(Choose choose) {
  WorkerPool::State* const pool = pool_;
  WatchedSemaphore* const gate = gate_;
  uint64_t seen = word_.Load();
  RingStep step;
  do {
    step = choose(UnpackRingState(seen));
    RequireSomebodyAwake(step.next);
  } while (!word_.CompareExchange(&seen, PackRingState(step.next)));
  if (step.wake_emit) {
    gate->Promise();
    gate->Release();
  }
  if (step.send_worker) pool->Submit({&Attend, this});
  return step;
}

void CompressionRing::Attend(void* ring, uint32_t worker) {
  static_cast<CompressionRing*>(ring)->WorkAs(worker);
}

void CompressionRing::WorkAs(uint32_t worker) {
  WorkerPool::State* const pool = pool_;
  Move([this](const RingState& s) { return protocol_.Arrive(s); });
  for (int runs = 0;; ++runs) {
    WaitForWork();
    const bool yield = runs >= kRunsATurn && pool->OthersWait();
    const RingStep step = Move([this, yield](const RingState& s) {
      return yield ? protocol_.Yield(s) : protocol_.Look(s);
    });
    if (step.task == RingTask::kLeave) return;
    notes_[worker].Store(NoteOf(step));
    if (step.task == RingTask::kWrite) {
      Write(step);
    } else {
      Compress(step, worker);
    }
  }
}

// To leave and to be sent for again costs more than a short wait.
void CompressionRing::WaitForWork() const {
  constexpr int kSpins = 100;
  for (int i = 0; i < kSpins; ++i) {
    const RingState s = UnpackRingState(word_.Load());
    if (s.failed || s.RawWaits() || s.HeadReady()) return;
    port::CpuPause();
  }
}

Status CompressionRing::EndBlock(std::vector<WrittenBlock>* written,
                                 uint64_t end) {
  const size_t size = filling_.size() - filling_end_;
  filling_blocks_.push_back({static_cast<uint32_t>(size), 0,
                             CompressionType::kNoCompression, BlockHandle()});
  raw_ended_ += size;
  // Room for the trailer: without a codec the block gets it in this buffer.
  filling_.Reserve(kBlockTrailerSize);
  filling_.Advance(kBlockTrailerSize);
  filling_end_ = filling_.size();
  if (filling_end_ < options_.slot_bytes) return {};
  Status published = PublishRun(written);
  if (!published.ok() || WaitForRoom(end)) return published;
  EndWorkers();
  return error_;
}

Status CompressionRing::PublishRun(std::vector<WrittenBlock>* written) {
  if (pool_ == nullptr) {
    own_pool_ = std::make_unique<WorkerPool>(shape_.workers);
    pool_ = own_pool_->state();
    if (pool_ == nullptr) throw std::bad_alloc();
  }
  if (gate_ == nullptr) {
    compressors_.resize(pool_->threads() + 1);
    notes_ = std::vector<ThreadNote>(pool_->threads() + 1);
    gate_ = pool_->BorrowGate({&AppendState, this});
  }
  if (!WorkUntilInFlight(shape_.slots - 1)) {
    EndWorkers();
    return error_;
  }
  Slot& slot = slots_[next_slot_];
  next_slot_ = (next_slot_ + 1) % shape_.slots;
  Deliver(&slot, written);
  largest_run_ = std::max(largest_run_, filling_end_);
  std::swap(slot.raw, filling_);
  filling_.Reserve(run_bytes());
  std::swap(slot.blocks, filling_blocks_);
  filling_end_ = 0;
  Move([this](const RingState& s) { return protocol_.Publish(s); });
  return {};
}

// Returns how many slots may be in flight, if none of them shrinks and one more
// is being filled.
uint32_t CompressionRing::MostInFlight(uint64_t end) const {
  const uint64_t at = offset();
  if (at >= end) return shape_.slots - 1;  // the caller did not end it there
  const uint64_t runs = std::max<uint64_t>((end - at) / largest_run_, 1);
  return static_cast<uint32_t>(std::min<uint64_t>(runs, shape_.slots) - 1);
}

// Looks again after each wait: what was written meanwhile may have taken more
// room than it was given.
bool CompressionRing::WaitForRoom(uint64_t end) {
  uint32_t most = shape_.slots;
  for (uint32_t now; (now = MostInFlight(end)) < most;) {
    most = now;
    if (!WorkUntilInFlight(most)) return false;
  }
  return true;
}

bool CompressionRing::WorkUntilInFlight(uint32_t most) {
  for (;;) {
    const RingStep step = Move([this, most](const RingState& s) {
      return protocol_.LookForEmit(s, most);
    });
    notes_.back().Store(NoteOf(step));
    if (step.task == RingTask::kProceed) return !step.next.failed;
    DoEmitTask(step);
  }
}

void CompressionRing::DoEmitTask(const RingStep& step) {
  if (step.task == RingTask::kCompress) {
    Compress(step, pool_->threads());
  } else if (step.task == RingTask::kWrite) {
    Write(step);
  } else {
    gate_->Acquire();
  }
}

Status CompressionRing::Finish(std::vector<WrittenBlock>* written) {
  if (!filling_blocks_.empty()) {
    Status status = PublishRun(written);
    if (!status.ok()) return status;
  }
  if (gate_ != nullptr) {
    Move([this](const RingState& s) { return protocol_.Close(s); });
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
  if (gate_ == nullptr) return;
  const uint32_t taken = pool_->Withdraw(this);
  Move([this, taken](const RingState& s) {
    return protocol_.Withdraw(s, taken);
  });
  while (Move([this](const RingState& s) {
           return protocol_.LookForEnd(s);
         }).task != RingTask::kProceed) {
    gate_->Acquire();
  }
  pool_->ReturnGate(gate_);
  gate_ = nullptr;
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
    BlockCompressor* compressor = nullptr;
    Status made = CompressorOf(thread, &compressor);
    if (made.ok()) CompressSlot(&slots_[step.slot], compressor);
    return made;
  });
  if (!status.ok()) return Fail(status, false);
  const bool by_emit = thread == pool_->threads();
  Move([this, &step, by_emit](const RingState& s) {
    return protocol_.Compressed(s, step.slot, by_emit);
  });
}

// Computes checksums as if each block were at offset 0, since its offset is not
// known yet. WriteSlot adds what depends on the offset.
void CompressionRing::CompressSlot(Slot* slot,
                                   BlockCompressor* compressor) const {
  const bool in_place = !compressor->active();
  if (in_place) std::swap(slot->raw, slot->stored);
  if (!in_place) {
    slot->stored.clear();
    slot->stored.Reserve(std::max(run_bytes(), slot->raw.size()));
  }
  size_t raw_at = 0;
  for (size_t i = 0; i < slot->blocks.size(); ++i) {
    Block& block = slot->blocks[i];
    const Slice raw((in_place ? slot->stored : slot->raw).data() + raw_at,
                    block.raw_size);
    raw_at += block.raw_size + kBlockTrailerSize;
    Slice payload = raw;
    char* trailer;
    if (in_place) {
      trailer = slot->stored.data() + raw_at - kBlockTrailerSize;
    } else {
      const size_t begin = slot->stored.size();
      bool compressed;
      slot->fault = compressor->Compress(raw, &slot->stored, &compressed);
      if (compressed) {
        block.type = compressor->type();
      } else {
        slot->stored.Append(raw);
      }
      slot->stored.Reserve(kBlockTrailerSize);
      payload = Slice(slot->stored.data() + begin, slot->stored.size() - begin);
      trailer = slot->stored.end();
      slot->stored.Advance(kBlockTrailerSize);
    }
    block.stored_size = static_cast<uint32_t>(payload.size());
    if (!slot->fault.ok()) [[unlikely]] {
      slot->unverified = i;
      return;
    }
    EncodeTrailer(options_.checksum, 0, 0, payload,
                  static_cast<uint8_t>(block.type), trailer);
  }
}

void CompressionRing::Write(RingStep step) {
  for (;;) {
    Status status =
        OrMemoryLimit([&] { return WriteSlot(&slots_[step.slot]); });
    if (!status.ok()) return Fail(status, true);
    step = Move([this](const RingState& s) { return protocol_.Wrote(s); });
    if (step.task != RingTask::kWrite) return;
  }
}

// Appends the bytes from *from to `to`, and then `zeros` zeros, and sets *from
// to `to`. Does nothing if `zeros` is 0.
Status CompressionRing::AppendGap(const char* to, uint64_t zeros,
                                  const char** from) {
  if (zeros == 0) return {};
  Status status = file_->Append(Slice(*from, static_cast<size_t>(to - *from)));
  if (!status.ok()) return status;
  *from = to;
  offset_ += zeros;
  return file_->Append(std::string(static_cast<size_t>(zeros), '\0'));
}

Status CompressionRing::WriteSlot(Slot* slot) {
  char* at = slot->stored.data();
  const char* from = at;
  uint64_t raw_bytes = 0;
  for (size_t i = 0; i < slot->blocks.size(); ++i) {
    Block& block = slot->blocks[i];
    Status moved = AppendGap(
        at, options_.alignment.Before(offset_, block.stored_size), &from);
    if (!moved.ok()) return moved;
    block.handle = {offset_, block.stored_size};
    if (!slot->fault.ok() && i == slot->unverified) [[unlikely]] {
      return LocateUnverified(
          slot->fault, file_->name(),
          {BlockKind::kData, block.handle, blocks_written_ + i});
    }
    char* const checksum = at + block.stored_size + 1;
    StoreFixed32(checksum,
                 LoadFixed32(checksum) +
                     ContextModifier(options_.base_context_checksum, offset_));
    const uint64_t size = block.stored_size + uint64_t{kBlockTrailerSize};
    offset_ += size;
    at += size;
    raw_bytes += block.raw_size;
    moved = AppendGap(at, options_.alignment.After(block.stored_size), &from);
    if (!moved.ok()) return moved;
  }
  blocks_written_ += slot->blocks.size();
  Status status = file_->Append(Slice(from, static_cast<size_t>(at - from)));
  progress_.Advance(raw_bytes, offset_);
  return status;
}

// Runs on the emit thread, which owns the slot again.
void CompressionRing::Deliver(Slot* slot,
                              std::vector<WrittenBlock>* written) const {
  for (const Block& block : slot->blocks) {
    written->push_back({block.handle, block.type});
  }
  slot->blocks.clear();
  slot->raw.clear();
}

void CompressionRing::AppendState(const void* ring, std::string* out) {
  const auto* const self = static_cast<const CompressionRing*>(ring);
  *out += "  ring, job " + std::to_string(reinterpret_cast<uintptr_t>(ring)) +
          ": " + DescribeRingState(UnpackRingState(self->word_.Load())) + "\n";
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
  Move([this, &first, drop_writer_role](const RingState& s) {
    first = !s.failed;
    return protocol_.Fail(s, drop_writer_role);
  });
  if (first) error_ = error;
}

}  // namespace ashlar::internal
