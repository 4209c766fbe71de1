#include "util/sync/pool_call.h"

#include <cstdint>
#include <utility>

#include "util/mem/memory_limit.h"

namespace ashlar::internal {

PoolCall::~PoolCall() {
  if (!job_) return;
  Claim();
  End();
}

void PoolCall::Start(WorkerPool::State* pool, std::function<Status()> work) {
  if (pool != nullptr && pool->threads() > 0) {
    job_.emplace(Ticket{&Attend, this}, LoopState{.units = 1, .tickets = 1});
    try {
      job_->Begin(pool, {&AppendState, this});
    } catch (...) {
      job_.reset();
      throw;
    }
  }
  work_ = std::move(work);
  if (job_) job_->SendWorker();
}

Status PoolCall::Wait() {
  if (work_ == nullptr) return Status();
  if (!job_ || Claim()) MakeCall();
  if (job_) End();
  work_ = nullptr;
  return std::exchange(status_, Status());
}

bool PoolCall::Claim() {
  return job_->Move(&LoopProtocol::Claim).task == LoopTask::kUnit;
}

void PoolCall::End() {
  job_->End(LoopProtocol());
  job_.reset();
}

// A worker. After its last step the owner may destroy the object.
void PoolCall::Attend(void* call, uint32_t /*worker*/) {
  auto* const self = static_cast<PoolCall*>(call);
  PoolJob<LoopProtocol>& job = *self->job_;
  job.Move(&LoopProtocol::Arrive);
  while (job.Move(&LoopProtocol::Look).task == LoopTask::kUnit) {
    self->MakeCall();
  }
}

void PoolCall::AppendState(const void* call, std::string* out) {
  const auto* const self = static_cast<const PoolCall*>(call);
  const LoopState s = self->job_->Look();
  *out += "  call, job " + std::to_string(reinterpret_cast<uintptr_t>(call)) +
          (s.next == 0 ? ": not begun, " : ": begun, ") +
          std::to_string(s.attending) + " attending, " +
          std::to_string(s.tickets) + " tickets" +
          (s.caller_sleeps ? ", the owner sleeps" : "") + "\n";
}

void PoolCall::MakeCall() {
  status_ = OrMemoryLimit([this] { return work_(); });
}

}  // namespace ashlar::internal
