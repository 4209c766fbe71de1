#include "table/read/ask_filter.h"

#include <algorithm>

#include "table/read/key_batch.h"
#include "table/read/target_key.h"

namespace ashlar::internal {

namespace {

// Finds the filter, with which *answer becomes kNone.
Status FilterOf(const OpenedTable& table, const ReadOptions& options,
                const TableFilter** filter) {
  Status status = PointLookup::CheckOptions(table, options);
  return status.ok() ? table.filter.Need(filter) : status;
}

}  // namespace

Status AskFilterForKey(const OpenedTable& table, const ReadOptions& options,
                       const Slice& user_key, GetResult::Filter* answer) {
  *answer = GetResult::Filter::kNone;
  const LimitScope limits(options);
  const TableFilter* filter;
  Status status = FilterOf(table, options, &filter);
  if (!status.ok()) return status;
  const TargetKey target(table, user_key, options.timestamp,
                         kMaxSequenceNumber);
  return filter->AskKey(
      user_key, target.slice(), [] {}, timing_context, answer);
}

void AskFilterForKeys(const OpenedTable& table, const ReadOptions& options,
                      std::span<const Slice> user_keys,
                      std::span<GetResult::Filter> answers,
                      std::span<Status> statuses) {
  std::fill(answers.begin(), answers.end(), GetResult::Filter::kNone);
  const LimitScope limits(options);
  const TableFilter* filter;
  const Status status = FilterOf(table, options, &filter);
  std::fill(statuses.begin(), statuses.end(), table.Named(status));
  if (!status.ok()) return;
  for (size_t begin = 0; begin < user_keys.size(); begin += kFilterBatchMax) {
    const std::span<const Slice> some = user_keys.subspan(
        begin, std::min(kFilterBatchMax, user_keys.size() - begin));
    filter->AskKeys(
        KeySet(some.size()), some,
        [&](size_t k) {
          return TargetKey(table, some[k], options.timestamp,
                           kMaxSequenceNumber);
        },
        [&](size_t k, const Status& asked, GetResult::Filter answer) {
          if (asked.ok()) {
            answers[begin + k] = answer;
          } else {
            statuses[begin + k] = table.Named(asked);
          }
        });
  }
}

Status AskFilterForPrefix(const OpenedTable& table, const ReadOptions& options,
                          const Slice& user_key, GetResult::Filter* answer) {
  *answer = GetResult::Filter::kNone;
  const LimitScope limits(options);
  const TableFilter* filter;
  Status status = FilterOf(table, options, &filter);
  if (!status.ok()) return status;
  const TargetKey target(table, user_key, options.timestamp,
                         kMaxSequenceNumber);
  return filter->AskPrefix(user_key, target.slice(), answer);
}

}  // namespace ashlar::internal
