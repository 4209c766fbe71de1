#include "table/filter/verify_filter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <span>

#include "table/filter/filter_bits.h"

namespace ashlar::internal {

namespace {

// What the pass over one part found.
struct PartCheck {
  uint64_t guard_sum = 0;
  uint64_t hashes = 0;
  uint64_t missing = 0;  // hashes that the filter does not match
};

void CheckRun(std::span<const uint64_t> run, const FilterBitsReader& filter,
              PartCheck* check) {
  check->hashes += run.size();
  std::span<const uint64_t> batch =
      run.first(std::min(run.size(), kFilterBatchMax));
  filter.Prefetch(batch);
  while (!batch.empty()) {
    run = run.subspan(batch.size());
    const auto next = run.first(std::min(run.size(), kFilterBatchMax));
    filter.Prefetch(next);
    for (const uint64_t hash : batch) {
      check->guard_sum += HashCollector::Guard(hash);
    }
    check->missing +=
        batch.size() -
        static_cast<uint64_t>(std::popcount(filter.MayMatchBatch(batch)));
    batch = next;
  }
}

}  // namespace

Status VerifyFilter(const HashCollector& hashes, const Slice& payload,
                    const WorkerCrew& crew) {
  using Kind = FilterBitsReader::Kind;
  const FilterBitsReader filter(payload);
  std::array<PartCheck, HashCollector::kParts> parts;
  const bool all = crew.ForEach(HashCollector::kParts, [&](uint32_t part) {
    hashes.ForEachRun(part, [&](std::span<const uint64_t> run) {
      CheckRun(run, filter, &parts[part]);
    });
    return true;
  });
  assert(all);
  static_cast<void>(all);
  PartCheck sum;
  for (const PartCheck& part : parts) {
    sum.guard_sum += part.guard_sum;
    sum.hashes += part.hashes;
    sum.missing += part.missing;
  }
  const std::string count = std::to_string(sum.hashes);
  if (sum.guard_sum != hashes.guard_sum()) {
    return Status::Corruption(
        "its " + count + " hashes changed in memory after they were collected");
  }
  // Other kinds match everything, or nothing.
  if (filter.kind() != Kind::kBloom && filter.kind() != Kind::kRibbon) {
    return Status::Corruption("its " + std::to_string(payload.size()) +
                              " bytes are neither a Bloom nor a Ribbon filter");
  }
  if (sum.missing == 0) return {};
  return Status::Corruption("the filter that was built does not match " +
                            std::to_string(sum.missing) + " of its " + count +
                            " hashes");
}

Status LocateBadFilter(const Status& cause, const std::string& file_name,
                       std::string_view filter) {
  if (!cause.IsCorruption()) return cause.WithPrefix(file_name);
  std::string text = "detect_filter_construct_corruption failed in ";
  text.append(filter).append(": ").append(cause.message());
  return Status::Corruption(text, Status::SubCode::kFilterNotVerified)
      .WithPrefix(file_name);
}

}  // namespace ashlar::internal
