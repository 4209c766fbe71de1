// The functions that the linker's --wrap puts in the place of the library's
// (CMakeLists.txt): calls of controlled threads go to controlled_threads.h, all
// others to the real functions.
#include <pthread.h>

#include <cstdint>
#include <mutex>

#include "ashlar/util/sync/shared_word.h"
#include "test/schedules/controlled_threads.h"
#include "test/schedules/order_sites.h"

using ashlar::internal::WordOrder;
using ashlar::testing::IsControlled;
using ashlar::testing::OrderOf;
using ashlar::testing::PointKind;
using ashlar::testing::WordStep;

// The names are the mangled ones of the functions in port/threads.h,
// util/sync/schedule_point.h and util/sync/shared_word.h.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

void __wrap__ZN6ashlar8internal13SchedulePointEv() {
  if (IsControlled()) ashlar::testing::ReachPoint(PointKind::kStep);
}

void __wrap__ZN6ashlar8internal9LookPointEv() {
  if (IsControlled()) ashlar::testing::ReachPoint(PointKind::kStep);
}

void __wrap__ZN6ashlar8internal9LockMutexEPSt5mutex(std::mutex* mutex) {
  if (!IsControlled()) return mutex->lock();
  ashlar::testing::LockControlled(mutex);
}

void __wrap__ZN6ashlar8internal11UnlockMutexEPSt5mutex(std::mutex* mutex) {
  if (!IsControlled()) return mutex->unlock();
  ashlar::testing::UnlockControlled(mutex);
}

uint64_t __wrap__ZN6ashlar8internal10SeenOfWordEPKvmRKNS0_9WordOrderE(
    const void* word, uint64_t newest, const WordOrder& order) {
  if (!IsControlled()) return newest;
  return ashlar::testing::LoadControlled(word, newest,
                                         OrderOf(order, WordStep::kLoad));
}

void __wrap__ZN6ashlar8internal14WordHasChangedEPKvmmRKNS0_9WordOrderEb(
    const void* word, uint64_t before, uint64_t after, const WordOrder& order,
    bool reads) {
  if (!IsControlled()) return;
  const WordStep step = reads ? WordStep::kReadModifyWrite : WordStep::kStore;
  ashlar::testing::ChangeControlled(word, before, after, OrderOf(order, step),
                                    reads);
}

void __wrap__ZN6ashlar8internal11WordWasReadEPKvmRKNS0_9WordOrderE(
    const void* word, uint64_t newest, const WordOrder& order) {
  if (!IsControlled()) return;
  ashlar::testing::ReadNewestControlled(
      word, newest, OrderOf(order, WordStep::kFailedExchange));
}

void __wrap__ZN6ashlar8internal10WordBeginsEPKv(const void* word) {
  ashlar::testing::BeginWord(word);
}

void __real__ZN6ashlar4port8CpuPauseEv();
void __wrap__ZN6ashlar4port8CpuPauseEv() {
  if (!IsControlled()) return __real__ZN6ashlar4port8CpuPauseEv();
  ashlar::testing::ReachPoint(PointKind::kPause);
}

void __real__ZN6ashlar4port11YieldThreadEv();
void __wrap__ZN6ashlar4port11YieldThreadEv() {
  if (!IsControlled()) return __real__ZN6ashlar4port11YieldThreadEv();
  ashlar::testing::ReachPoint(PointKind::kPause);
}

void __real__ZN6ashlar4port9NapThreadEv();
void __wrap__ZN6ashlar4port9NapThreadEv() {
  if (!IsControlled()) return __real__ZN6ashlar4port9NapThreadEv();
  ashlar::testing::ReachPoint(PointKind::kPause);
}

int __real__ZN6ashlar4port11StartThreadEPFPvS1_ES1_Pm(void* (*run)(void*),
                                                      void* argument,
                                                      pthread_t* thread);
int __wrap__ZN6ashlar4port11StartThreadEPFPvS1_ES1_Pm(void* (*run)(void*),
                                                      void* argument,
                                                      pthread_t* thread) {
  if (!IsControlled()) {
    return __real__ZN6ashlar4port11StartThreadEPFPvS1_ES1_Pm(run, argument,
                                                             thread);
  }
  return ashlar::testing::StartControlled(run, argument, thread);
}

void __real__ZN6ashlar4port10JoinThreadEm(pthread_t thread);
void __wrap__ZN6ashlar4port10JoinThreadEm(pthread_t thread) {
  if (!IsControlled()) return __real__ZN6ashlar4port10JoinThreadEm(thread);
  ashlar::testing::JoinControlled(thread);
}

void __real__ZN6ashlar4port9FutexWaitEPKjj(const uint32_t* word,
                                           uint32_t expected);
void __wrap__ZN6ashlar4port9FutexWaitEPKjj(const uint32_t* word,
                                           uint32_t expected) {
  if (!IsControlled()) {
    return __real__ZN6ashlar4port9FutexWaitEPKjj(word, expected);
  }
  ashlar::testing::SleepControlled(word, expected, false);
}

void __real__ZN6ashlar4port12FutexWaitForEPKjjj(const uint32_t* word,
                                                uint32_t expected,
                                                uint32_t milliseconds);
void __wrap__ZN6ashlar4port12FutexWaitForEPKjjj(const uint32_t* word,
                                                uint32_t expected,
                                                uint32_t milliseconds) {
  if (!IsControlled()) {
    return __real__ZN6ashlar4port12FutexWaitForEPKjjj(word, expected,
                                                      milliseconds);
  }
  ashlar::testing::SleepControlled(word, expected, true);
}

void __real__ZN6ashlar4port9FutexWakeEPKjj(const uint32_t* word, uint32_t n);
void __wrap__ZN6ashlar4port9FutexWakeEPKjj(const uint32_t* word, uint32_t n) {
  if (!IsControlled()) return __real__ZN6ashlar4port9FutexWakeEPKjj(word, n);
  ashlar::testing::WakeControlled(word, n);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
