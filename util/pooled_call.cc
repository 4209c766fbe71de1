#include "ashlar/util/pooled_call.h"

#include <utility>

#include "util/sync/pool_call.h"

namespace ashlar {

PooledCall::PooledCall() : call_(std::make_unique<internal::PoolCall>()) {}

PooledCall::~PooledCall() = default;

void PooledCall::Start(WorkerPool* pool, std::function<Status()> work) {
  call_->Start(pool == nullptr ? nullptr : pool->state(), std::move(work));
}

Status PooledCall::Wait() { return call_->Wait(); }

}  // namespace ashlar
