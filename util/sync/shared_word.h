// SharedWord: the word that all types of atomics here are made of.
//
// Internal, installed because installed templates have it. It is std::atomic.
// In builds with ASHLAR_SCHEDULE_POINTS it is a stand-in with the same
// operations, which reports each one: a test program may then answer a load
// with an older value of the word, where the memory orders allow that.
// Processors do so, and those of x86-64 seldom.
#ifndef ASHLAR_UTIL_SYNC_SHARED_WORD_H_
#define ASHLAR_UTIL_SYNC_SHARED_WORD_H_

#include <atomic>

#if !defined(ASHLAR_SCHEDULE_POINTS)

namespace ashlar::internal {

template <typename T>
using SharedWord = std::atomic<T>;

}  // namespace ashlar::internal

#else

#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

namespace ashlar::internal {

// A memory order, and where the code asks for it.
struct WordOrder {
  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the order
  WordOrder(std::memory_order asked,
            std::source_location asked_at = std::source_location::current())
      : order(asked), where(asked_at) {}

  std::memory_order order;
  std::source_location where;
};

// What a test program may replace at link time.
//
// Returns what a load is to see: `newest`, which is in the word.
uint64_t SeenOfWord(const void* word, uint64_t newest, const WordOrder& order);
// The word was read and changed, or, if not `reads`, only changed.
void WordHasChanged(const void* word, uint64_t before, uint64_t after,
                    const WordOrder& order, bool reads);
// A compare-exchange has failed, which has read the newest value.
void WordWasRead(const void* word, uint64_t newest, const WordOrder& order);
// A word begins to live in this memory.
void WordBegins(const void* word);

// As std::atomic. The word is its only member, so that its bytes are those that
// the kernel compares.
template <typename T>
class SharedWord {
  static_assert(sizeof(T) <= sizeof(uint64_t));

 public:
  static constexpr bool is_always_lock_free = true;

  constexpr SharedWord() : SharedWord(T()) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as that of std::atomic
  constexpr SharedWord(T value) : word_(value) {
    if (!std::is_constant_evaluated()) WordBegins(&word_);
  }
  SharedWord(const SharedWord&) = delete;
  SharedWord& operator=(const SharedWord&) = delete;

  T load(const WordOrder& order = kDefault) const {
    return FromBits(SeenOfWord(&word_, Bits(word_.load(order.order)), order));
  }
  void store(T value, const WordOrder& order = kDefault) {
    // Threads that take turns need no exchange. In the other builds that have
    // this class, nobody looks at the value before.
    const T before = word_.load(std::memory_order_relaxed);
    word_.store(value, order.order);
    WordHasChanged(&word_, Bits(before), Bits(value), order, false);
  }
  T exchange(T value, const WordOrder& order = kDefault) {
    return Changed(word_.exchange(value, order.order), value, order);
  }
  T fetch_add(T n, const WordOrder& order = kDefault) {
    const T before = word_.fetch_add(n, order.order);
    return Changed(before, static_cast<T>(before + n), order);
  }
  T fetch_sub(T n, const WordOrder& order = kDefault) {
    const T before = word_.fetch_sub(n, order.order);
    return Changed(before, static_cast<T>(before - n), order);
  }
  T fetch_or(T bits, const WordOrder& order = kDefault) {
    const T before = word_.fetch_or(bits, order.order);
    return Changed(before, static_cast<T>(before | bits), order);
  }
  T fetch_and(T bits, const WordOrder& order = kDefault) {
    const T before = word_.fetch_and(bits, order.order);
    return Changed(before, static_cast<T>(before & bits), order);
  }
  bool compare_exchange_strong(T& expected, T desired, const WordOrder& success,
                               const WordOrder& failure) {
    const T before = expected;
    const bool done = word_.compare_exchange_strong(
        expected, desired, success.order, failure.order);
    return Exchanged(done, before, expected, desired, success, failure);
  }
  bool compare_exchange_weak(T& expected, T desired, const WordOrder& success,
                             const WordOrder& failure) {
    const T before = expected;
    const bool done = word_.compare_exchange_weak(expected, desired,
                                                  success.order, failure.order);
    return Exchanged(done, before, expected, desired, success, failure);
  }
  bool compare_exchange_strong(T& expected, T desired,
                               const WordOrder& order = kDefault) {
    return compare_exchange_strong(expected, desired, order, OnFailure(order));
  }
  bool compare_exchange_weak(T& expected, T desired,
                             const WordOrder& order = kDefault) {
    return compare_exchange_weak(expected, desired, order, OnFailure(order));
  }

 private:
  static constexpr std::memory_order kDefault = std::memory_order_seq_cst;

  static uint64_t Bits(T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
  static T FromBits(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  // A load releases nothing.
  static WordOrder OnFailure(WordOrder order) {
    if (order.order == std::memory_order_acq_rel) {
      order.order = std::memory_order_acquire;
    }
    if (order.order == std::memory_order_release) {
      order.order = std::memory_order_relaxed;
    }
    return order;
  }
  T Changed(T before, T after, const WordOrder& order) {
    WordHasChanged(&word_, Bits(before), Bits(after), order, true);
    return before;
  }
  bool Exchanged(bool done, T before, T seen, T desired,
                 const WordOrder& success, const WordOrder& failure) {
    if (done) {
      Changed(before, desired, success);
    } else {
      WordWasRead(&word_, Bits(seen), failure);
    }
    return done;
  }

  std::atomic<T> word_;
};

}  // namespace ashlar::internal

#endif

#endif  // ASHLAR_UTIL_SYNC_SHARED_WORD_H_
