#include "table/block/restore_keys.h"

#include <string>
#include <utility>

#include "table/block/block_builder.h"
#include "table/block/block_iterator.h"
#include "util/coding/word_compare.h"

namespace ashlar::internal {

Status RestoreKeys(const BlockView& view, const BlockPlace& place,
                   const KeyOrder& stored_order, const KeyForm& form,
                   const TimestampBound& bound, Buffer* out) {
  constexpr int kRestartInterval = 16;
  constexpr size_t kEntryOverhead = 32;  // header and restart point, at most
  BlockIterator stored(stored_order);
  stored.Reset(view, place);
  BlockBuilder block(kRestartInterval, out);
  KeyBudget budget(view.entries_size);
  std::string last;
  std::string key;
  for (bool on_entry = stored.SeekToFirst(); on_entry;
       on_entry = stored.Next()) {
    if (!budget.Take(stored.key().size())) {
      return place.Corruption(
          "bad entry",
          "its keys together are many times larger than the block");
    }
    form.Restore(stored.key(), &key);
    if (!bound.Passes(key)) continue;
    if (!out->TryReserve(key.size() + stored.value().size() + kEntryOverhead)) {
      return place.NoMemory();
    }
    const size_t shared =
        last.empty() ? 0 : CommonPrefix(UserKeyOf(last), UserKeyOf(key));
    block.Add(key, shared, stored.value());
    std::swap(last, key);
  }
  if (!stored.status().ok()) return stored.status();
  static_cast<void>(block.Finish());
  return {};
}

}  // namespace ashlar::internal
