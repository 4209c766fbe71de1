#include "table/sort/stored_form.h"

#include <cstdint>

#include "ashlar/table/internal_key.h"

namespace ashlar::internal {

int VersionOrder::Compare(const Slice& a, const Slice& b) const {
  const int order = user_keys_->Compare(UserKeyOf(a), UserKeyOf(b));
  if (order != 0) return order;
  const uint64_t tail_a = TailOf(a);
  const uint64_t tail_b = TailOf(b);
  if (tail_a == tail_b) return 0;
  return tail_a > tail_b ? -1 : 1;
}

}  // namespace ashlar::internal
