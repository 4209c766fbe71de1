// ReservedMemory: address space that becomes memory where it is touched.
//
// For memory that grows in place: the most that it can ever be is reserved,
// zeroed. It costs nothing before it is used, except the rest of the pages in
// use, which may be huge pages. It begins at a huge page. Not thread-safe.
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

  // Reserves `bytes`. Call it once. Returns false if there is not that much
  // left to reserve.
  [[nodiscard]] bool Reserve(size_t bytes);
  // Asks the kernel for huge pages in all of it.
  void PreferHugePages();

  char* data() const { return data_; }

 private:
  void* mapped_ = nullptr;
  size_t mapped_bytes_ = 0;
  char* data_ = nullptr;
};

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_RESERVED_MEMORY_H_
