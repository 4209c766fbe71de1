// BlockCacheTracer: the public front. AccessRecorder does the work.

#include "ashlar/cache/block_cache_tracer.h"

#include <utility>

#include "cache/trace/access_recorder.h"

namespace ashlar {

BlockCacheTracer::BlockCacheTracer()
    : recorder_(std::make_unique<internal::AccessRecorder>()) {}

BlockCacheTracer::~BlockCacheTracer() { EndTrace().IgnoreError(); }

Status BlockCacheTracer::StartTrace(const BlockCacheTraceOptions& options,
                                    std::unique_ptr<WritableFile> file) {
  return recorder_->Start(options, std::move(file));
}

Status BlockCacheTracer::EndTrace() { return recorder_->End(); }

bool BlockCacheTracer::is_tracing() const { return recorder_->is_tracing(); }

uint64_t BlockCacheTracer::traced() const { return recorder_->traced(); }

uint64_t BlockCacheTracer::dropped() const { return recorder_->dropped(); }

}  // namespace ashlar
