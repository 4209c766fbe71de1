// A history of what threads asked a cache for, and whether some order of these
// calls explains every answer (linearizability: Herlihy and Wing, 1990).
//
// Every call takes effect at one moment between its begin and its end. Where
// memory is weak, there is no time that all threads share: then only a call
// that happens before another takes effect before it, in the sense of C++. The
// cache is taken for one that evicts nothing. As cache.h says, an Insert of a
// key that is there changes nothing, but two that overlap may both succeed. An
// Erase may leave what is inserted meanwhile, or remove it at any moment while
// it runs.
#ifndef ASHLAR_TEST_SCHEDULES_HISTORY_H_
#define ASHLAR_TEST_SCHEDULES_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "test/schedules/controlled_threads.h"

namespace ashlar::testing {

struct CacheCall {
  enum class Kind : uint8_t { kInsert, kLookup, kErase };

  Kind kind = Kind::kLookup;
  uint64_t key = 0;
  // Of kInsert: the value's number, from 0, unique in the history. Of kLookup:
  // what was found, or -1.
  int value = -1;
  uint64_t begin = 0;
  uint64_t end = 0;
  // Where memory is weak: where its thread stood at the begin and at the end.
  std::optional<WeakMoment> weak_begin = std::nullopt;
  std::optional<WeakMoment> weak_end = std::nullopt;
};

// Returns an empty string if an order explains all answers. Otherwise returns
// the calls for the key that none explains. Requires: at most 20 calls for a
// key, and at most 32 values.
std::string Unexplained(const std::vector<CacheCall>& calls);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SCHEDULES_HISTORY_H_
