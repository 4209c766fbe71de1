// CacheEntryStatsCollector. A mutex guards the last result, and is held during
// a collection: a thread that needs a new one waits for it. A thread that can
// do with an old one does not want the mutex then; so the last result is also
// behind a second mutex, which is held for a copy of a pointer only.
//
//   collect_   held during a collection, and by it alone
//   result_    guards `last`; taken after collect_, if both are

#include "ashlar/cache/cache_entry_stats_collector.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ashlar/util/sync/mutex.h"
#include "util/sync/atomic.h"

namespace ashlar {

using internal::Mutex;
using internal::MutexLock;

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using Collected = std::shared_ptr<const CollectedCacheEntryStats>;

bool IsYoung(const Collected& last, CacheEntryStatsCollector::MaxAge max_age) {
  if (last == nullptr) return false;
  const double age = Seconds(Clock::now() - last->end).count();
  return age < std::max(max_age.seconds, max_age.times_duration *
                                             Seconds(last->duration).count());
}

std::string NewCacheId(const Cache& cache) {
  static internal::RelaxedAtomic<uint64_t> last{0};
  return std::string(cache.Name()) + "#" + std::to_string(last.FetchAdd(1) + 1);
}

}  // namespace

std::string_view CacheEntryRoleKey(CacheEntryRole role) {
  constexpr std::array<std::string_view, kCacheEntryRoles> kKeys = {
      "data-block",
      "filter-block",
      "filter-meta-block",
      "index-block",
      "other-block",
      "write-buffer",
      "compression-dictionary-building-buffer",
      "filter-construction",
      "block-based-table-reader",
      "file-metadata",
      "blob-value",
      "blob-cache",
      "read-ahead",
      "iterator",
      "misc",
  };
  return kKeys[static_cast<size_t>(role)];
}

struct CacheEntryStatsCollector::State {
  explicit State(std::shared_ptr<Cache> cache_in)
      : cache(std::move(cache_in)), id(NewCacheId(*cache)) {}

  Collected Last() {
    const MutexLock lock(&result_);
    return last;
  }

  const std::shared_ptr<Cache> cache;
  const std::string id;
  Mutex collect_;
  Mutex result_;
  Collected last ASHLAR_THREAD_ATTRIBUTE(guarded_by(result_));
};

CacheEntryStatsCollector::CacheEntryStatsCollector(std::shared_ptr<Cache> cache)
    : state_(std::make_unique<State>(std::move(cache))) {}

CacheEntryStatsCollector::~CacheEntryStatsCollector() = default;

// The list has the collectors that are alive, and forgets the others.
std::shared_ptr<CacheEntryStatsCollector> CacheEntryStatsCollector::Of(
    const std::shared_ptr<Cache>& cache) {
  static Mutex mutex;
  static std::map<const Cache*, std::weak_ptr<CacheEntryStatsCollector>> all;
  const MutexLock lock(&mutex);
  std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<CacheEntryStatsCollector>& slot = all[cache.get()];
  std::shared_ptr<CacheEntryStatsCollector> collector = slot.lock();
  if (collector == nullptr) {
    collector = std::make_shared<CacheEntryStatsCollector>(cache);
    slot = collector;
  }
  return collector;
}

std::shared_ptr<const CollectedCacheEntryStats> CacheEntryStatsCollector::Get(
    MaxAge max_age) {
  State& s = *state_;
  if (Collected last = s.Last(); IsYoung(last, max_age)) return last;
  const MutexLock collecting(&s.collect_);
  // Another thread may have collected while this one waited.
  if (Collected last = s.Last(); IsYoung(last, max_age)) return last;
  auto made = std::make_shared<CollectedCacheEntryStats>();
  const Clock::time_point begin = Clock::now();
  made->stats = s.cache->CollectEntryStats();
  made->end = Clock::now();
  made->duration =
      std::chrono::duration_cast<std::chrono::microseconds>(made->end - begin);
  made->capacity = s.cache->GetCapacity();
  made->cache_id = s.id;
  const MutexLock lock(&s.result_);
  s.last = made;
  return made;
}

std::map<std::string, std::string> CacheEntryStatsCollector::ToMap(
    const CollectedCacheEntryStats& collected) {
  std::map<std::string, std::string> map;
  map["id"] = collected.cache_id;
  map["capacity"] = std::to_string(collected.capacity);
  map["secs_for_last_collection"] =
      std::to_string(Seconds(collected.duration).count());
  map["secs_since_last_collection"] =
      std::to_string(std::chrono::duration_cast<std::chrono::seconds>(
                         Clock::now() - collected.end)
                         .count());
  for (size_t i = 0; i < kCacheEntryRoles; ++i) {
    const std::string role(CacheEntryRoleKey(static_cast<CacheEntryRole>(i)));
    const CacheEntryStats::Of& of = collected.stats.by_role[i];
    map["count." + role] = std::to_string(of.count);
    map["bytes." + role] = std::to_string(of.charge);
    map["percent." + role] = std::to_string(
        collected.capacity == 0 ? 0.0
                                : 100.0 * static_cast<double>(of.charge) /
                                      static_cast<double>(collected.capacity));
  }
  return map;
}

}  // namespace ashlar
