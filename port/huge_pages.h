// Huge pages, where much memory is about to be touched.
//
// Each page that is touched for the first time costs a trip into the kernel,
// and a huge page needs one for what would else need 512. But where the kernel
// has none at hand it may first move what is in the way, which takes longer
// than all the small pages together. So an account is kept of the CPU time
// that huge pages have cost each thread beyond what small ones do; when the
// loss has grown to 16 ms none is asked for during the next 64, and twice as
// many after each further time. Nothing but time depends on it. Memory that is
// short-lived goes by that account (UseHugePages); memory that stays need not
// (PreferHugePages).
#ifndef ASHLAR_PORT_HUGE_PAGES_H_
#define ASHLAR_PORT_HUGE_PAGES_H_

#include <cstddef>
#include <utility>

namespace ashlar::port {

inline constexpr size_t kHugePageBytes = size_t{2} << 20;

// Touches the whole huge pages within [memory, memory + n), which is fresh and
// of no content yet: it may be zeroed. Thread-safe.
void UseHugePages(void* memory, size_t n);

// Asks for huge pages there, whatever each costs when it is touched first: for
// memory that stays, and is read over and over. Thread-safe.
void PreferHugePages(void* memory, size_t n);

// Memory of its own that begins where a huge page does. Zeroed, and not there
// before it is touched. Move-only; not thread-safe.
class HugePageRegion {
 public:
  // `size` is a multiple of kHugePageBytes. Throws std::bad_alloc when memory
  // is out.
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
