// Compactions through the C interface.

#include "ashlar/table/compaction.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "ashlar/table/compaction_filter.h"
#include "ashlar/table/merge_operator.h"
#include "ashlar/table/numbered_outputs.h"
#include "c_api/handles.h"

namespace ashlar::capi {
namespace {

// Asks the caller about plain values. Other entries are kept.
class CallerFilter final : public CompactionFilter {
 public:
  explicit CallerFilter(const ashlar_compaction& caller) : caller_(caller) {}

  std::string_view Name() const override { return "ashlar_compaction"; }
  Decision Filter(const Entry& entry, Change* change) override {
    if (entry.type != ValueType::kValue) return Decision::kKeep;
    new_value_.bytes.clear();
    switch (caller_.filter(caller_.context, ToC(entry.key), ToC(entry.value),
                           &new_value_)) {
      case ASHLAR_KEEP:
        return Decision::kKeep;
      case ASHLAR_REMOVE:
        return Decision::kRemove;
      case ASHLAR_CHANGE:
        change->new_value = new_value_.bytes;
        return Decision::kChangeValue;
    }
    return Decision::kKeep;
  }

 private:
  const ashlar_compaction& caller_;
  ashlar_bytes new_value_;
};

// The first version of the struct, which callers may still have.
constexpr size_t kFirstSize = offsetof(ashlar_compaction, snapshot_count) +
                              sizeof(ashlar_compaction::snapshot_count);
// A larger one is not a size but an error.
constexpr size_t kMostSize = 4096;

// Copies what the caller's version of the struct has. Members that only a later
// version has must be zero: this library cannot do what they ask for.
Status CopyKnown(const ashlar_compaction& callers, ashlar_compaction* known) {
  const size_t size = callers.struct_size;
  if (size < kFirstSize || size > kMostSize) {
    return Status::InvalidArgument(
        "struct_size is " + std::to_string(size) +
        ", and not sizeof(ashlar_compaction), which is " +
        std::to_string(sizeof(ashlar_compaction)));
  }
  const auto* const bytes = reinterpret_cast<const char*>(&callers);
  const size_t common = std::min(size, sizeof(ashlar_compaction));
  if (std::any_of(bytes + common, bytes + size,
                  [](char byte) { return byte != 0; })) {
    return Status::NotSupported(
        "ashlar_compaction has members that this version does not know");
  }
  *known = {};
  std::memcpy(known, bytes, common);
  return {};
}

std::string OutputPath(const std::string& path, uint64_t number) {
  constexpr size_t kDigits = 6;
  std::string digits = std::to_string(number);
  digits.insert(0, kDigits - std::min(kDigits, digits.size()), '0');
  return path + "-" + digits + ".sst";
}

// What the caller asks for, as options of the library.
class Job {
 public:
  Job(const ashlar_options& options, const ashlar_compaction& caller)
      : caller_(caller), filter_(caller) {
    compaction_.table = options.set.table;
    compaction_.build = options.set.build;
    compaction_.iterator.comparator = options.set.table.comparator;
    compaction_.cutter.comparator = options.set.table.comparator;
    compaction_.iterator.bottommost = caller.bottommost != 0;
    compaction_.cutter.bottommost = caller.bottommost != 0;
    compaction_.cuts_outputs = caller.target_file_size != 0;
    if (compaction_.cuts_outputs) {
      compaction_.cutter.target_file_size = caller.target_file_size;
    }
    compaction_.iterator.snapshots.assign(
        caller.snapshots, caller.snapshots + caller.snapshot_count);
    if (caller.filter != nullptr) {
      compaction_.iterator.compaction_filter = &filter_;
    }
    if (caller.progress != nullptr) {
      compaction_.iterator.on_progress =
          [this](const CompactionCounts& so_far) {
            return caller_.progress(caller_.context, so_far.input_entries) == 0;
          };
    }
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Status Run(const std::vector<CompactionRun>& runs, const std::string& path) {
    if (caller_.merge_operator != nullptr) {
      merge_operator_ = FindBuiltinMergeOperator(caller_.merge_operator);
      if (merge_operator_ == nullptr) {
        return Status::NotSupported("the merge operator '" +
                                        std::string(caller_.merge_operator) +
                                        "' is not built in",
                                    Status::SubCode::kNotBuiltIn);
      }
      compaction_.iterator.merge_operator = merge_operator_.get();
    }
    uint64_t last = 0;
    NumberedOutputs outputs({
        .next_number = [&last] { return ++last; },
        .path = [&path](uint64_t number) { return OutputPath(path, number); },
        // It may be an input, and what fails is removed.
        .file = {.overwrite = false},
    });
    CompactionResult result;
    Status status = CompactTables(compaction_, runs, {}, &outputs, &result);
    if (!status.ok()) return status;
    // Outputs that nobody takes are removed.
    const std::vector<NumberedOutput> taken = outputs.Take(result);
    if (caller_.output == nullptr) return {};
    for (const NumberedOutput& made : taken) {
      caller_.output(caller_.context, made.path.c_str(),
                     made.summary.file_size);
    }
    return {};
  }

 private:
  const ashlar_compaction& caller_;
  CallerFilter filter_;
  std::shared_ptr<const MergeOperator> merge_operator_;
  CompactionOptions compaction_;
};

}  // namespace
}  // namespace ashlar::capi

ashlar_status* ashlar_compact(const ashlar_options* options,
                              const ashlar_compaction* compaction,
                              const ashlar_reader* const* tables, size_t count,
                              const char* path) {
  using ashlar::Status;
  return ashlar::capi::Guarded([&]() -> Status {
    ashlar_compaction known;
    Status status = ashlar::capi::CopyKnown(*compaction, &known);
    if (!status.ok()) return status;
    std::vector<ashlar::CompactionRun> runs;
    for (size_t i = 0; i < count; ++i) {
      runs.push_back({{.table = tables[i]->table.get()}});
    }
    ashlar::capi::Job job(*options, known);
    return job.Run(runs, path);
  });
}
