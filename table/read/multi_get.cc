#include "table/read/multi_get.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "table/read/batch_limits.h"
#include "table/read/key_batch.h"
#include "util/mem/memory_limit.h"

namespace ashlar::internal {

namespace {

constexpr size_t kKeysAtOnce = 32;
static_assert(kKeysAtOnce <= ParsedIndex::kBatch &&
              kKeysAtOnce <= kBlockBatchMax && kKeysAtOnce <= kFilterBatchMax);

class MultiGetChunk : public KeyBatch<MultiGetChunk, kKeysAtOnce> {
 public:
  // `first_key` is the number of the first of them in the whole batch.
  MultiGetChunk(const OpenedTable& table, const BatchRead& read,
                size_t first_key, std::span<const Slice> user_keys,
                GetResult* results, Status* statuses)
      : KeyBatch(read, user_keys, results),
        table_(table),
        first_key_(first_key),
        statuses_(statuses),
        of_{.table = &table, .keys = KeySet(user_keys.size())} {}

  void Run() {
    of_.keys.ForEach([&](size_t k) { results()[k].Reset(); });
    const LimitScope limits(read().options);
    const Status memory = OrMemoryLimit([this] {
      AnswerAll();
      return Status();
    });
    if (!memory.ok()) [[unlikely]]
      EndAll(&of_, memory);
    if (table_.counters.any()) Count();
  }

  // For KeyBatch.
  void Take(TableKeys* /*of*/, size_t k, const Status& status) {
    if (status.ok()) {
      statuses_[k] = Status();
    } else {
      results()[k].Reset();
      statuses_[k] = table_.Named(status);
    }
  }
  MergeOperandCallback OperandsOf(size_t k) {
    return [this, k](const MergeOperand& operand, SequenceNumber sequence) {
      return read().on_operand(first_key_ + k, operand, sequence);
    };
  }

  VersionCallback VersionsOf(size_t k) {
    return [this, k](const StoredVersion& version) {
      return (*read().visit)(first_key_ + k, version);
    };
  }

 private:
  void AnswerAll() {
    PerfContext* const timing = timing_context;
    {
      const StageTimer timer(&PerfContext::filter_nanos, timing);
      AskFilter(&of_);
    }
    {
      const StageTimer timer(&PerfContext::index_seek_nanos, timing);
      FindInIndex(&of_);
      BlockNumbers<kKeysAtOnce> numbers;
      CollectBlocks(&of_, &numbers);
    }
    {
      const StageTimer timer(&PerfContext::block_load_nanos, timing);
      table_.data.LoadBatch(requests(), read().options);
      TakeLoaded(&of_);
    }
    {
      const StageTimer timer(&PerfContext::block_seek_nanos, timing);
      if (!table_.HasRangeDeletions(read().options)) {
        LookAtWords(of_);
        read().visit == nullptr ? AnswerByWords(&of_) : VisitByWords(&of_);
      }
      SearchBlocks(&of_);
    }
    if (of_.keys.empty()) return;
    ReleaseBlocks();
    SearchPostponed(&of_);
  }

  void Count() const {
    PointReads reads;
    for (size_t k = 0; k < user_keys().size(); ++k) reads.Add(results()[k]);
    table_.counters.CountMultiGet(reads, table_.AsksPrefixesAlone());
  }

  const OpenedTable& table_;
  const size_t first_key_;
  Status* const statuses_;
  TableKeys of_;
};

}  // namespace

void RunMultiGet(const OpenedTable& table, const ReadOptions& options,
                 std::span<const Slice> user_keys, SequenceNumber snapshot,
                 std::span<GetResult> results, std::span<Status> statuses,
                 const BatchOperandCallback& on_operand) {
  const Status usable =
      OrMemoryLimit([&] { return PointLookup::CheckOptions(table, options); });
  if (!usable.ok()) {
    for (GetResult& result : results) result.Reset();
    std::fill(statuses.begin(), statuses.end(), table.Named(usable));
    return;
  }
  const HistogramTimer timer(table.counters, Histogram::kDbMultiGet);
  table.counters.CountMultiGetCall();
  const BatchRead read{options, snapshot, on_operand};
  BatchLimits limits(options, table.source.gate());
  for (size_t begin = 0; begin < user_keys.size(); begin += kKeysAtOnce) {
    if (limits.any()) [[unlikely]] {
      const Status ended = limits.Check();
      if (!ended.ok()) {
        return BatchLimits::End(ended, results.subspan(begin),
                                statuses.subspan(begin));
      }
    }
    const size_t n = std::min(kKeysAtOnce, user_keys.size() - begin);
    MultiGetChunk(table, read, begin, user_keys.subspan(begin, n),
                  results.data() + begin, statuses.data() + begin)
        .Run();
    if (limits.any()) [[unlikely]]
      limits.Count(results.subspan(begin, n), statuses.subspan(begin, n));
  }
  table.counters.SampleMultiGet(results);
}

void RunVisitBatch(const OpenedTable& table, const ReadOptions& options,
                   std::span<const Slice> user_keys, SequenceNumber snapshot,
                   std::span<Status> statuses,
                   const BatchVersionCallback& visit) {
  const Status usable =
      OrMemoryLimit([&] { return PointLookup::CheckOptions(table, options); });
  if (!usable.ok()) {
    std::fill(statuses.begin(), statuses.end(), table.Named(usable));
    return;
  }
  const HistogramTimer timer(table.counters, Histogram::kDbMultiGet);
  table.counters.CountMultiGetCall();
  const BatchOperandCallback no_operands;
  const BatchRead read{options, snapshot, no_operands, &visit};
  std::array<GetResult, kKeysAtOnce> counted;
  for (size_t begin = 0; begin < user_keys.size(); begin += kKeysAtOnce) {
    const Status ended = table.source.gate().CheckDeadline(options);
    if (!ended.ok()) [[unlikely]] {
      std::fill(statuses.begin() + static_cast<ptrdiff_t>(begin),
                statuses.end(), ended);
      return;
    }
    const size_t n = std::min(kKeysAtOnce, user_keys.size() - begin);
    MultiGetChunk(table, read, begin, user_keys.subspan(begin, n),
                  counted.data(), statuses.data() + begin)
        .Run();
  }
}

}  // namespace ashlar::internal
