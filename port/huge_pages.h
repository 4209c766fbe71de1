// Huge pages, for memory of which much is about to be touched.
//
// Each page that is touched for the first time costs a call into the kernel,
// and one huge page replaces 512 small ones. But if the kernel has no huge page
// ready, it may first move other memory out of the way, which takes longer than
// all the small pages together. So an account is kept of the CPU time that huge
// pages have cost each thread beyond what small pages cost. When the loss has
// grown to 16 ms, the next 64 huge pages are not requested, then twice as many
// each further time, up to 4096. A gain ends the doubling. Nothing but time
// depends on it. Short-lived memory uses that account (UseHugePages). Memory
// that stays need not (PreferHugePages).
#ifndef ASHLAR_PORT_HUGE_PAGES_H_
#define ASHLAR_PORT_HUGE_PAGES_H_

#include <cstddef>
#include <utility>

namespace ashlar::port {

inline constexpr size_t kHugePageBytes = size_t{2} << 20;

// Touches the whole huge pages within [memory, memory + n), as far as that
// account allows. Requires: the memory is new and has no content yet, because
// it may be zeroed. Thread-safe.
void UseHugePages(void* memory, size_t n);

// Asks the kernel for huge pages there, whatever each costs when it is first
// touched: for memory that stays and is read over and over. Thread-safe.
void PreferHugePages(void* memory, size_t n);

// Memory of its own that begins at a huge page. It is zeroed, and does not
// exist before it is touched. Move-only. Not thread-safe.
class HugePageRegion {
 public:
  // Requires: `size` is a multiple of kHugePageBytes. Throws std::bad_alloc if
  // there is no memory.
  explicit HugePageRegion(size_t size);
  HugePageRegion(HugePageRegion&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  HugePageRegion& operator=(HugePageRegion&&) = delete;
  ~HugePageRegion();

  void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void* data_;
  size_t size_;
};

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_HUGE_PAGES_H_
