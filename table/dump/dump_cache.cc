// DumpBlockCache: from the cache to a file.
//
//   1. Look    one walk over the cache notes each entry that is to be dumped:
//              key, role, charge, how long it would stay (32 bytes)
//   2. Sort    those that would stay longest come first
//   3. Write   keys are written as they are. Blocks are visited one by one in
//              that order, saved into a buffer, and written from there
//
// Other threads go on meanwhile. What they use or insert after the walk keeps
// the place that it had, or is not in the dump; what was evicted by its turn is
// left out. Neither step counts as a use of an entry, and none holds a lock of
// the cache for longer than a lookup. An entry is held while its bytes are
// copied, not while they are compressed or written.

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "port/random_word.h"
#include "table/dump/dump_format.h"
#include "table/dump/dump_kinds.h"
#include "table/dump/dump_pace.h"
#include "table/dump/wanted_files.h"
#include "util/compress/codec.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace internal {

namespace {

// An entry that is to be dumped.
struct Candidate {
  uint64_t stay;
  CacheKey key;
  uint32_t charge;
  CacheEntryRole role;
  bool was_hit;

  bool operator<(const Candidate& other) const {
    return stay != other.stay ? stay > other.stay : key < other.key;
  }
};

class Dumper {
 public:
  Dumper(Cache* cache, WritableFile* file, const CacheDumpOptions& options,
         CacheDumpStats* stats)
      : cache_(*cache),
        options_(options),
        stats_(*stats),
        writer_(file, port::RandomWord()),
        pace_(options) {}

  Status Run() {
    Status status = OrMemoryLimit([this] { return DumpAll(); });
    stats_.entries = writer_.entries();
    stats_.bytes = writer_.bytes();
    stats_.end = end_.value_or(CacheDumpEnd::kAll);
    return status;
  }

 private:
  Status DumpAll() {
    if (options_.compression_type != CompressionType::kNoCompression) {
      auto made =
          NewCompressor(options_.compression_type, options_.compression_opts);
      if (!made.ok()) return made.status();
      compressor_ = std::move(made).value();
    }
    const std::vector<Candidate> candidates = Gather();
    const bool has_blocks =
        options_.contents == CacheDumpOptions::Contents::kBlocks;
    Status status = pace_.Take(kDumpHeaderBytes + kDumpHeadBytes, &end_);
    if (status.ok()) status = writer_.AddHeader(has_blocks);
    if (status.ok()) {
      status = has_blocks ? WriteBlocks(candidates) : WriteKeys(candidates);
    }
    return status.ok() ? writer_.AddEnd() : status;
  }
  std::vector<Candidate> Gather();
  Status WriteKeys(const std::vector<Candidate>& candidates);
  Status WriteBlocks(const std::vector<Candidate>& candidates);
  bool Save(const Candidate& candidate);
  void Compress(DumpRecord* record);

  Cache& cache_;
  const CacheDumpOptions& options_;
  CacheDumpStats& stats_;
  DumpWriter writer_;
  DumpPace pace_;
  std::optional<CacheDumpEnd> end_;
  std::unique_ptr<Compressor> compressor_;  // null: blocks are not compressed
  Buffer saved_;
  Buffer compressed_;
};

std::vector<Candidate> Dumper::Gather() {
  const WantedFiles wanted(options_.files);
  std::vector<Candidate> candidates;
  candidates.reserve(cache_.GetOccupancyCount());
  bool lacks_memory = false;
  cache_.ForEachEntry([&](const CacheEntryView& entry) {
    if (DumpKindOf(entry.ops) == nullptr) {
      ++stats_.not_savable;
    } else if (entry.key.IsTemporary()) {
      ++stats_.temporary;
    } else if (!wanted.Has(entry.key)) {
      ++stats_.other_files;
    } else if (!lacks_memory) {
      // A walk must not be left by an exception.
      try {
        candidates.push_back({.stay = entry.stay,
                              .key = entry.key,
                              .charge = static_cast<uint32_t>(
                                  std::min<size_t>(entry.charge, UINT32_MAX)),
                              .role = entry.ops->role,
                              .was_hit = entry.was_hit});
      } catch (const std::bad_alloc&) {
        lacks_memory = true;
      }
    }
  });
  if (lacks_memory) throw std::bad_alloc();
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

DumpedKey KeyOf(const Candidate& candidate) {
  return {.key = candidate.key,
          .role = candidate.role,
          .was_hit = candidate.was_hit,
          .charge = candidate.charge};
}

Status Dumper::WriteKeys(const std::vector<Candidate>& candidates) {
  Status status;
  for (const Candidate& each : candidates) {
    const bool is_first = saved_.empty();
    status = pace_.Take((is_first ? kDumpHeadBytes : 0) + kDumpKeyBytes, &end_);
    if (!status.ok() || end_.has_value()) break;
    AppendDumpKey(KeyOf(each), &saved_);
    pace_.CountEntry();
    if (saved_.size() < kMostDumpKeys * kDumpKeyBytes) continue;
    status = writer_.AddKeys(saved_.slice());
    saved_.clear();
    if (!status.ok()) break;
  }
  if (!status.ok() || saved_.empty()) return status;
  return writer_.AddKeys(saved_.slice());
}

// Saves the block into saved_. Returns false if it is not to be dumped.
bool Dumper::Save(const Candidate& candidate) {
  saved_.clear();
  bool done = false;
  const bool is_there =
      cache_.VisitEntry(candidate.key, [&](const CacheEntryView& entry) {
        const DumpKind* const kind = DumpKindOf(entry.ops);
        // Another value may have the key by now.
        done = kind != nullptr && entry.ops->role == candidate.role &&
               kind->save(entry.value, &saved_) &&
               saved_.size() <= kMostDumpBody;
      });
  if (!is_there) ++stats_.evicted;
  if (is_there && !done) ++stats_.not_savable;
  return done;
}

void Dumper::Compress(DumpRecord* record) {
  if (compressor_ == nullptr || record->body.empty()) return;
  compressed_.clear();
  compressed_.Reserve(record->body.size());
  const size_t size = compressor_->Compress(record->body, compressed_.data(),
                                            record->body.size() - 1);
  if (size == 0) return;
  record->body = Slice(compressed_.data(), size);
  record->compression = options_.compression_type;
}

Status Dumper::WriteBlocks(const std::vector<Candidate>& candidates) {
  for (const Candidate& each : candidates) {
    if (!Save(each)) continue;
    DumpRecord record;
    record.entry = KeyOf(each);
    record.body = saved_.slice();
    record.raw_size = static_cast<uint32_t>(saved_.size());
    Compress(&record);
    Status status = pace_.Take(kDumpHeadBytes + record.body.size(), &end_);
    if (!status.ok() || end_.has_value()) return status;
    status = writer_.AddBlock(record);
    if (!status.ok()) return status;
    pace_.CountEntry();
  }
  return {};
}

}  // namespace

}  // namespace internal

Status DumpBlockCache(Cache& cache, WritableFile* file,
                      const CacheDumpOptions& options, CacheDumpStats* stats) {
  *stats = {};
  return internal::OrMemoryLimit(
      [&] { return internal::Dumper(&cache, file, options, stats).Run(); });
}

Status DumpBlockCache(Cache& cache, const std::string& path,
                      const CacheDumpOptions& options, CacheDumpStats* stats) {
  *stats = {};
  return internal::OrMemoryLimit([&]() -> Status {
    auto file = AtomicFile::Create(path, {.sync = options.sync});
    if (!file.ok()) return file.status();
    Status status = DumpBlockCache(cache, (*file)->file(), options, stats);
    return status.ok() ? (*file)->Commit() : status;
  });
}

}  // namespace ashlar
