// Errors, bytes and caches of the C interface.

#include <string_view>

#include "ashlar/cache/cache_options.h"
#include "ashlar/util/version.h"
#include "c_api/handles.h"

namespace ashlar::capi {
namespace {

ashlar_status* NoMemory() noexcept {
  static ashlar_status* const status = [] {
    // Made when the library is loaded, so that it is there when it is needed.
    return new ashlar_status{Status::OutOfMemory(), "out of memory"};
  }();
  return status;
}
const ashlar_status* const kMadeAtStart = NoMemory();

static_assert(static_cast<int>(Status::Code::kTimedOut) == ASHLAR_TIMED_OUT);
static_assert(static_cast<int>(Status::Code::kMemoryLimit) ==
              ASHLAR_MEMORY_LIMIT);
static_assert(static_cast<int>(Status::Code::kInvalidArgument) ==
              ASHLAR_INVALID_ARGUMENT);

template <typename Options>
Status NewCache(Result<std::shared_ptr<Cache>> (*make)(const Options&),
                size_t capacity, ashlar_cache** cache) {
  Options options;
  options.capacity = capacity;
  auto made = make(options);
  if (!made.ok()) return made.status();
  *cache = new ashlar_cache{std::move(*made)};
  return {};
}

}  // namespace

ashlar_status* ToC(const Status& status) noexcept {
  if (status.ok()) return nullptr;
  try {
    return new ashlar_status{status, std::string(status.message())};
  } catch (const std::bad_alloc&) {
    return NoMemory();
  }
}

BoundedRead::BoundedRead(const ashlar_read_options* options) {
  if (options == nullptr) return;
  read = options->options;
  if (options->lower) {
    lower = Slice(*options->lower);
    read.iterate_lower_bound = &lower;
  }
  if (options->upper) {
    upper = Slice(*options->upper);
    read.iterate_upper_bound = &upper;
  }
}

}  // namespace ashlar::capi

using ashlar::capi::Guarded;
using ashlar::capi::NoMemory;

ashlar_code ashlar_status_code(const ashlar_status* status) {
  if (status == nullptr) return ASHLAR_OK;
  return static_cast<ashlar_code>(status->status.code());
}
const char* ashlar_status_message(const ashlar_status* status) {
  return status == nullptr ? "" : status->message.c_str();
}
void ashlar_status_free(ashlar_status* status) {
  if (status != NoMemory()) delete status;
}

const char* ashlar_version(void) {
  // The text ends with a zero byte: it is a literal.
  return ashlar::LibraryVersion().data();
}

ashlar_slice ashlar_bytes_slice(const ashlar_bytes* bytes) {
  return {bytes->bytes.data(), bytes->bytes.size()};
}
void ashlar_bytes_free(ashlar_bytes* bytes) { delete bytes; }
ashlar_status* ashlar_bytes_set(ashlar_bytes* bytes, ashlar_slice value) {
  return Guarded([&]() -> ashlar::Status {
    bytes->bytes.assign(value.data, value.size);
    return {};
  });
}

ashlar_status* ashlar_cache_new_clock(size_t capacity, ashlar_cache** cache) {
  *cache = nullptr;
  return Guarded([&] {
    return ashlar::capi::NewCache(&ashlar::NewHyperClockCache, capacity, cache);
  });
}
ashlar_status* ashlar_cache_new_lru(size_t capacity, ashlar_cache** cache) {
  *cache = nullptr;
  return Guarded([&] {
    return ashlar::capi::NewCache(&ashlar::NewLruCache, capacity, cache);
  });
}
size_t ashlar_cache_capacity(const ashlar_cache* cache) {
  return cache->cache->GetCapacity();
}
void ashlar_cache_set_capacity(ashlar_cache* cache, size_t capacity) {
  cache->cache->SetCapacity(capacity);
}
size_t ashlar_cache_usage(const ashlar_cache* cache) {
  return cache->cache->GetUsage();
}
size_t ashlar_cache_pinned_usage(const ashlar_cache* cache) {
  return cache->cache->GetPinnedUsage();
}
void ashlar_cache_free(ashlar_cache* cache) { delete cache; }
