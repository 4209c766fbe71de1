// Gathers the keys of a range, to look them up together.
#ifndef ASHLAR_TOOLS_ASHLAR_COMMANDS_KEY_BATCHES_H_
#define ASHLAR_TOOLS_ASHLAR_COMMANDS_KEY_BATCHES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ashlar/util/comparator.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/inputs/key_range.h"
#include "tools/ashlar/inputs/visible_entries.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

// How many keys are looked up together: their values are in memory at once.
inline constexpr size_t kKeysTogether = 64;

// Calls take(keys) with the user keys, without timestamps, of the entries in
// the range: each once, in order, kKeysTogether at most in a call and `most` in
// all. `entries` is an Iterator or a MergingIterator over tables of this size.
// Returns how many keys it passed to take(). What went wrong is in the status
// of `entries`.
template <typename Entries, typename Take>
uint64_t TakeKeysOfRange(const KeyRange& range, const Comparator& comparator,
                         const TablesSize& size, uint64_t most, Report* report,
                         Entries* entries, const Take& take) {
  constexpr uint64_t kEntriesBetweenLooks = 256;
  Progress progress(report->path());
  uint64_t passed = 0;
  uint64_t taken = 0;
  std::vector<std::string> batch;
  std::string last;
  const auto take_batch = [&] {
    take(std::span<const std::string>(batch));
    taken += batch.size();
    batch.clear();
  };
  for (range.SeekToStart(comparator, entries);
       entries->Valid() && !range.EndsBefore(entries->user_key(), comparator) &&
       !report->MustStop();
       entries->Next()) {
    if (passed++ % kEntriesBetweenLooks == 0 &&
        !progress.UpdateByEntries(passed, size.entries, size.bytes)) {
      break;
    }
    const Slice key =
        WithoutTimestamp(entries->user_key(), comparator.timestamp_size());
    if (taken + batch.size() != 0 && key == Slice(last)) continue;
    if (batch.size() == kKeysTogether) take_batch();
    if (taken + batch.size() == most) break;
    last.assign(key.data(), key.size());
    batch.push_back(last);
  }
  if (!batch.empty()) take_batch();
  if (!report->MustStop()) progress.Update(size.bytes, size.bytes);
  return taken;
}

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_COMMANDS_KEY_BATCHES_H_
