// WantedFiles: which file a cache key belongs to, among those that a caller
// listed. Thread-safe once it is made.
#ifndef ASHLAR_TABLE_DUMP_WANTED_FILES_H_
#define ASHLAR_TABLE_DUMP_WANTED_FILES_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "ashlar/cache/cache_key.h"

namespace ashlar::internal {

class WantedFiles {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  // `files`: the cache keys of files. None: all files are wanted.
  explicit WantedFiles(std::span<const CacheKey> files) {
    files_.reserve(files.size());
    for (size_t i = 0; i < files.size(); ++i) files_.emplace_back(files[i], i);
    std::sort(files_.begin(), files_.end());
  }

  bool Has(const CacheKey& block) const {
    return files_.empty() || Find(block) != kNone;
  }
  // Returns the number of the block's file in the list, or kNone.
  size_t Find(const CacheKey& block) const {
    const CacheKey first{block.file, 0};
    auto at = std::lower_bound(
        files_.begin(), files_.end(), first,
        [](const auto& file, const CacheKey& key) { return file.first < key; });
    for (; at != files_.end() && at->first.file == block.file; ++at) {
      if (block.IsOfFile(at->first)) return at->second;
    }
    return kNone;
  }

 private:
  std::vector<std::pair<CacheKey, size_t>> files_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_DUMP_WANTED_FILES_H_
