// ReservedMemory: address space that becomes memory where it is touched.
//
// For what grows in place: as much is reserved as it can ever be, zeroed, and
// costs nothing before it is used, but what is left of its pages, which may be
// huge ones. Begins where a huge page does. Not thread-safe.
#ifndef ASHLAR_PORT_RESERVED_MEMORY_H_
#define ASHLAR_PORT_RESERVED_MEMORY_H_

#include <cstddef>

namespace ashlar::port {

class ReservedMemory {
 public:
  ReservedMemory() = default;
  ReservedMemory(const ReservedMemory&) = delete;
  ReservedMemory& operator=(const ReservedMemory&) = delete;
  ~ReservedMemory();

  // Once. False where there is not as much left to reserve.
  [[nodiscard]] bool Reserve(size_t bytes);
  // Asks for huge pages in all of it.
  void PreferHugePages();

  char* data() const { return data_; }

 private:
  void* mapped_ = nullptr;
  size_t mapped_bytes_ = 0;
  char* data_ = nullptr;
};

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_RESERVED_MEMORY_H_
