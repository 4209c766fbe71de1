// LatePart: a part of an object that the first thread to need it loads.
//
// However many threads need it at once, one of them loads it, and the others
// wait for that one. A load that fails leaves the part as it was: its error
// goes to the thread that loaded, and each thread that waited then loads for
// itself. So an error is always that of the thread's own load.
//
// Protocol. The pointer is null until the part is loaded, and does not change
// afterwards. The turn is a word:
//
//   kNobody               no thread loads
//   forks << 2 | kBusy    a thread loads, in the process that has this number
//                         of forks behind it
//   ... | kAwaited        some thread sleeps until the turn ends
//
// 1. A thread that needs the part loads the pointer (acquire). If it is set,
//    the thread is done. This is all that a thread does once the part is there.
// 2. Else it takes the turn by compare-exchange (acquire), looks at the pointer
//    again, loads the part, and publishes it (release). Then it sets the turn
//    to kNobody (release), and wakes all threads if kAwaited was set.
// 3. A thread that finds the turn taken sets kAwaited by compare-exchange,
//    sleeps while the word is what it has then seen, and begins again at 1.
// 4. In a child of fork the thread that had the turn at the fork does not
//    exist. A thread that finds a turn of another process takes it over as in
//    2. If forks cannot be counted, nobody waits: several threads may load,
//    the first to publish wins, and what the others have counted stays counted.
//
// Requires: a load does not need the part that it loads, and loads that need
// other parts do not form a circle.
#ifndef ASHLAR_UTIL_SYNC_LATE_PART_H_
#define ASHLAR_UTIL_SYNC_LATE_PART_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "ashlar/util/status.h"
#include "ashlar/util/sync/shared_word.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

// The turn of a LatePart, whatever the part is.
class LoadTurn {
 public:
  LoadTurn() = default;
  LoadTurn(const LoadTurn&) = delete;
  LoadTurn& operator=(const LoadTurn&) = delete;

  // Returns true if the caller now has the turn, and must call End. Returns
  // false if another thread had it: the caller looks at the pointer again.
  bool Begin();
  void End();

 private:
  SharedWord<uint32_t> word_{0};
};

template <typename T>
class LatePart {
 public:
  LatePart() = default;
  LatePart(const LatePart&) = delete;
  LatePart& operator=(const LatePart&) = delete;
  ~LatePart() { delete pointer_.Load(); }

  // Returns the part if it is loaded, else null.
  T* IfLoaded() const { return pointer_.Load(); }
  // Makes *part the part, which load(std::unique_ptr<T>*) loads if no thread
  // has: returns its error. May throw std::bad_alloc. All callers give the same
  // `load`.
  template <typename Load>
  Status Need(const Load& load, T** part) const {
    *part = pointer_.Load();
    if (*part != nullptr) [[likely]]
      return {};
    return NeedLate(load, part);
  }

 private:
  template <typename Load>
  [[gnu::noinline, gnu::cold]] Status NeedLate(const Load& load,
                                               T** part) const {
    while (!turn_.Begin()) {
      *part = pointer_.Load();
      if (*part != nullptr) return {};
    }
    struct TurnEnd {
      ~TurnEnd() { turn.End(); }
      LoadTurn& turn;
    };
    const TurnEnd end{turn_};
    *part = pointer_.Load();
    if (*part != nullptr) return {};
    std::unique_ptr<T> loaded;
    Status status = load(&loaded);
    if (!status.ok()) return status;
    *part = pointer_.PublishFirst(loaded.get());
    if (*part == loaded.get()) static_cast<void>(loaded.release());
    return {};
  }

  mutable PublishedPointer<T> pointer_;
  mutable LoadTurn turn_;
};

// A LatePart that knows how it is loaded.
template <typename T>
class OnDemand {
 public:
  using Load = std::function<Status(std::unique_ptr<T>* part)>;

  // To be called once, before any thread needs the part.
  void LoadBy(Load load) { load_ = std::move(load); }

  T* IfLoaded() const { return part_.IfLoaded(); }
  Status Need(T** part) const { return part_.Need(load_, part); }
  // Does the same, but loads by a function that has the same result.
  template <typename OtherLoad>
  Status NeedBy(const OtherLoad& load, T** part) const {
    return part_.Need(load, part);
  }

 private:
  LatePart<T> part_;
  Load load_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_LATE_PART_H_
