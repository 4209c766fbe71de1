#include "table/load/decode_ahead.h"

#include <algorithm>
#include <cassert>
#include <new>
#include <span>

#include "util/mem/memory_limit.h"

namespace ashlar::internal {

static void RequireSomebodyAwake([[maybe_unused]] const AheadState& s) {
  assert(!AheadProtocol::IsStuck(s));
}

DecodeAhead::~DecodeAhead() {
  if (!job_.begun()) return;
  Drop();
  job_.End(AheadProtocol());
}

void DecodeAhead::Turn(bool forward) {
  if (num_runs_ != 0) Drop();
  forward_ = forward;
  missed_ = std::min(missed_, 1U);
}

// Prepares a new way of the scout, from the walk's block on. Returns false if
// there is none.
bool DecodeAhead::Begin(const IndexCursor& at) {
  if (refused_) return false;
  if (!job_.begun()) {
    const Status begun = OrMemoryLimit([&] {
      Status charged = charge_.any() ? charge_.Cover(kBudget) : Status();
      if (charged.ok()) job_.Begin(pool_, {&AppendState, this});
      return charged;
    });
    refused_ = !begun.ok();
    if (refused_) return false;
  }
  // An error here is not of a block that the walk has come to.
  scout_goes_on_ = scout_.MoveTo(at);
  pending_ = false;
  wanted_runs_ = kFirstRuns;
  wanted_blocks_ = kFirstBlocks;
  return scout_goes_on_;
}

bool DecodeAhead::WantsRun() const {
  if (!scout_goes_on_ || num_runs_ >= wanted_runs_ ||
      planned_bytes_ >= kBudget) {
    return false;
  }
  // A worker may still be in a run that was dropped.
  const uint32_t slot = (first_ + num_runs_) % kAheadSlots;
  return job_.Look().slots[slot] == AheadSlot::kFree;
}

// Makes the slot after the last run's ready for a run. Returns false if there
// is no memory.
bool DecodeAhead::NewRun() {
  std::unique_ptr<Run>& run = runs_[(first_ + num_runs_) % kAheadSlots];
  if (run == nullptr) run.reset(new (std::nothrow) Run);
  refused_ = run == nullptr;
  if (refused_) return false;
  run->size = 0;
  run->estimate = 0;
  run->budget.Begin(&bytes_);
  return true;
}

// Adds the scout's block to the run. Returns false if it does not belong there.
bool DecodeAhead::AddToRun() {
  Run& run = RunAt(first_ + num_runs_);
  const BlockHandle handle = scout_.handle();
  // What a damaged index names is left to the walk.
  if (!handle.FitsBelow(walk_.file->Size())) {
    pending_ = scout_goes_on_ = false;
    return false;
  }
  uint64_t begin = handle.offset;
  uint64_t end = handle.End();
  const uint64_t estimate = run.estimate + handle.size * ratio_ / kRatioUnit;
  if (run.size != 0) {
    const bool near = forward_ ? begin >= run.end && begin - run.end <= kNear
                               : end <= run.begin && run.begin - end <= kNear;
    begin = std::min(begin, run.begin);
    end = std::max(end, run.end);
    if (!near || run.size >= wanted_blocks_ || end - begin > kMostStored ||
        estimate > kMostDecoded) {
      return false;
    }
  }
  run.begin = begin;
  run.end = end;
  run.estimate = estimate;
  BlockRequest& request = run.requests[run.size];
  request.place = BlockPlace();
  scout_.FillPlace(&request.place);
  request.note = scout_.LastingNote();
  request.block = &run.blocks[run.size++];
  pending_ = false;
  return true;
}

// Hands the run over. Returns false if it is empty.
bool DecodeAhead::SubmitRun() {
  const uint32_t slot = (first_ + num_runs_) % kAheadSlots;
  const Run& run = *runs_[slot];
  if (run.size == 0) return false;
  if (walk_.options->async_io)
    walk_.file->Expect(run.begin, run.end - run.begin);
  planned_bytes_ += run.estimate;
  ++num_runs_;
  const uint32_t workers = std::min(pool_->threads(), kAheadSlots - 1);
  job_.Move([slot, workers](const AheadState& s) {
    return AheadProtocol::Plan(s, slot, workers);
  });
  return true;
}

bool DecodeAhead::Take(const BlockPlace& place, PinnedBlock* block) {
  if (num_runs_ == 0) return false;
  Run& run = RunAt(first_);
  const BlockRequest& request = run.requests[taken_];
  if (request.place.handle != place.handle) {
    Drop();
    return false;
  }
  if (taken_ == 0) Reach();
  const bool got = request.status.ok() && !request.postponed;
  if (got) {
    std::swap(*block, *request.block);
    // The memory of the walk's last block is for the next one here.
    request.block->Clear();
    ++got_;
    got_bytes_ += block->bytes();
    got_stored_ += place.handle.size;
    if (block->was_found()) ++found_;
  }
  if (++taken_ == run.size) Recycle();
  return got;
}

// Returns when the first run is decoded.
void DecodeAhead::Reach() {
  for (;;) {
    const AheadStep step = job_.Move(&AheadProtocol::Reach);
    if (step.task == AheadTask::kProceed) return;
    if (step.task == AheadTask::kSleep) {
      job_.Sleep();
    } else {
      Decode(step.slot);
    }
  }
}

// Ends the first run, of which the walk has come to all blocks.
void DecodeAhead::Recycle() {
  Run& run = RunAt(first_);
  // Without budget it got nothing because the runs after it are decoded. They
  // are of use.
  const bool is_useless =
      (got_ == 0 && !run.budget.ran_out()) || found_ == run.size;
  if (got_stored_ != 0) {
    ratio_ = std::clamp(got_bytes_ * kRatioUnit / got_stored_, kRatioUnit,
                        kMostRatio);
  }
  ClearRun(&run);
  planned_bytes_ -= run.estimate;
  job_.Move(&AheadProtocol::Recycle);
  first_ = (first_ + 1) % kAheadSlots;
  --num_runs_;
  ForgetFirst();
  wanted_runs_ = std::min(wanted_runs_ + 1, kAheadSlots);
  wanted_blocks_ = std::min(wanted_blocks_ * 2, kMostBlocks);
  if (!is_useless) return;
  if (num_runs_ != 0) Drop();
  missed_ = 0;
}

void DecodeAhead::Drop() {
  const uint32_t to = (first_ + num_runs_) % kAheadSlots;
  for (uint32_t i = 0; i < num_runs_; ++i) RunAt(first_ + i).budget.Stop();
  const AheadStep step = job_.Move(
      [to](const AheadState& s) { return AheadProtocol::Drop(s, to); });
  for (uint32_t i = 0; i < num_runs_; ++i) {
    const uint32_t slot = (first_ + i) % kAheadSlots;
    if (step.next.slots[slot] == AheadSlot::kFree) ClearRun(runs_[slot].get());
  }
  first_ = to;
  num_runs_ = 0;
  planned_bytes_ = 0;
  ForgetFirst();
}

// The part of the thread that a run belongs to, from the step that began it to
// the one that finishes it.
void DecodeAhead::Decode(uint32_t slot) {
  Run& run = *runs_[slot];
  const auto requests = std::span(run.requests).first(run.size);
  const Status memory = OrMemoryLimit([&] {
    walk_.blocks->LoadAhead(requests, *walk_.options, &run.budget);
    return Status();
  });
  uint64_t bytes = 0;
  for (BlockRequest& r : requests) {
    // Which of them were loaded before memory ran out is not known.
    r.postponed = r.postponed || !memory.ok();
    bytes += r.block->bytes();
  }
  run.budget.Note(bytes);
  const AheadStep step = job_.Move(
      [slot](const AheadState& s) { return AheadProtocol::Finish(s, slot); });
  if (step.task != AheadTask::kClear) return;
  ClearRun(&run);
  job_.Move(
      [slot](const AheadState& s) { return AheadProtocol::Free(s, slot); });
}

// Releases the blocks of a run, and keeps their memory for the next one.
void DecodeAhead::ClearRun(Run* run) {
  for (PinnedBlock& block : std::span(run->blocks).first(run->size)) {
    block.Clear();
  }
  run->budget.End();
}

void DecodeAhead::Attend(void* ahead, uint32_t /*worker*/) {
  static_cast<DecodeAhead*>(ahead)->Work();
}

// A worker's part. After its last step this object may be gone.
void DecodeAhead::Work() {
  WorkerPool::State* const pool = job_.pool();
  job_.Move(&AheadProtocol::Arrive);
  for (bool first = true;; first = false) {
    const bool yield = !first && pool->OthersWait();
    const AheadStep step = job_.Move([yield](const AheadState& s) {
      return yield ? AheadProtocol::Yield(s) : AheadProtocol::Look(s);
    });
    if (step.task == AheadTask::kLeave) return;
    Decode(step.slot);
  }
}

// For the watchdog's message.
void DecodeAhead::AppendState(const void* ahead, std::string* out) {
  const AheadState s = static_cast<const DecodeAhead*>(ahead)->job_.Look();
  *out += "  decoding ahead, job " +
          std::to_string(reinterpret_cast<uintptr_t>(ahead)) + ": slots";
  for (const AheadSlot slot : s.slots) {
    *out += " " + std::to_string(static_cast<int>(slot));
  }
  *out += ", first " + std::to_string(s.first) + ", " +
          std::to_string(s.attending) + " attending, " +
          std::to_string(s.tickets) + " tickets" +
          (s.owner == AheadOwner::kAwake ? "" : ", the owner sleeps") + "\n";
}

}  // namespace ashlar::internal
