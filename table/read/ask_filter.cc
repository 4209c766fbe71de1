#include "table/read/ask_filter.h"

#include <algorithm>

#include "table/read/key_batch.h"
#include "table/read/target_key.h"

namespace ashlar::internal {

namespace {

// Passes the filter to `ask`, which asks it; or returns why that cannot be.
template <typename Ask>
Status WithFilter(const OpenedTable& table, const ReadOptions& options,
                  const Ask& ask) {
  Status status = PointLookup::CheckOptions(table, options);
  if (!status.ok()) return status;
  const LimitScope limits(options);
  const TableFilter* filter;
  status = table.filter.Need(&filter);
  return status.ok() ? ask(*filter) : status;
}

TargetKey TargetOf(const OpenedTable& table, const ReadOptions& options,
                   const Slice& user_key) {
  return TargetKey(table, user_key, options.timestamp, kMaxSequenceNumber);
}

}  // namespace

Status AskFilterForKey(const OpenedTable& table, const ReadOptions& options,
                       const Slice& user_key, GetResult::Filter* answer) {
  *answer = GetResult::Filter::kNone;
  return WithFilter(table, options, [&](const TableFilter& filter) {
    const TargetKey target = TargetOf(table, options, user_key);
    return filter.AskKey(
        user_key, target.slice(), [] {}, timing_context, answer);
  });
}

void AskFilterForKeys(const OpenedTable& table, const ReadOptions& options,
                      std::span<const Slice> user_keys,
                      std::span<GetResult::Filter> answers,
                      std::span<Status> statuses) {
  std::fill(answers.begin(), answers.end(), GetResult::Filter::kNone);
  std::fill(statuses.begin(), statuses.end(), Status());
  const Status asked = WithFilter(table, options, [&](const TableFilter& f) {
    for (size_t begin = 0; begin < user_keys.size(); begin += kFilterBatchMax) {
      const std::span<const Slice> some = user_keys.subspan(
          begin, std::min(kFilterBatchMax, user_keys.size() - begin));
      f.AskKeys(
          KeySet(some.size()), some,
          [&](size_t k) { return TargetOf(table, options, some[k]); },
          [&](size_t k, const Status& status, GetResult::Filter answer) {
            if (status.ok()) {
              answers[begin + k] = answer;
            } else {
              statuses[begin + k] = table.Named(status);
            }
          });
    }
    return Status();
  });
  if (asked.ok()) return;
  std::fill(statuses.begin(), statuses.end(), table.Named(asked));
}

Status AskFilterForPrefix(const OpenedTable& table, const ReadOptions& options,
                          const Slice& user_key, GetResult::Filter* answer) {
  *answer = GetResult::Filter::kNone;
  return WithFilter(table, options, [&](const TableFilter& filter) {
    const TargetKey target = TargetOf(table, options, user_key);
    return filter.AskPrefix(user_key, target.slice(), answer);
  });
}

}  // namespace ashlar::internal
