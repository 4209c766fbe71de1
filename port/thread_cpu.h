// The CPU time of a thread. Thread-safe.
#ifndef ASHLAR_PORT_THREAD_CPU_H_
#define ASHLAR_PORT_THREAD_CPU_H_

#include <cstdint>

namespace ashlar::port {

// Returns how long the calling thread has run on a core, in nanoseconds. Makes
// a system call.
uint64_t ThreadCpuNanoseconds();

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_THREAD_CPU_H_
