// Runs a case: makes tables of its inputs, finds the options that RocksDB had,
// and compacts.

#include <algorithm>
#include <deque>
#include <optional>
#include <sstream>

#include "ashlar/table/compaction.h"
#include "ashlar/table/compaction_filter.h"
#include "ashlar/table/merge_operator.h"
#include "test/support/compaction_cases.h"
#include "test/support/map_source.h"
#include "test/support/memory_outputs.h"

namespace ashlar::testing {

namespace {

// A full merge appends ",operand" for each to the base, or to "_". A partial
// merge gives "(a+b)". An operand FAIL fails, MUST fails with kMustMerge.
class CatOperator final : public PlainMergeOperator {
 public:
  CatOperator(bool has_partial, bool has_single)
      : has_partial_(has_partial), has_single_(has_single) {}

  std::string_view Name() const override { return "Cat"; }
  bool MergePlain(const Slice& /*key*/, const Slice* existing_value,
                  std::span<const Slice> operands, std::string* new_value,
                  OpFailureScope* scope) const override {
    *new_value = existing_value == nullptr ? "_" : existing_value->ToString();
    for (const Slice& operand : operands) {
      if (operand == "FAIL") return false;
      if (operand == "MUST") {
        *scope = OpFailureScope::kMustMerge;
        return false;
      }
      *new_value += "," + operand.ToString();
    }
    return true;
  }
  bool PartialMergeMulti(const Slice& /*key*/, std::span<const Slice> operands,
                         std::string* new_operand) const override {
    if (!has_partial_) return false;
    *new_operand = "(" + operands[0].ToString();
    for (const Slice& operand : operands.subspan(1)) {
      *new_operand += "+" + operand.ToString();
    }
    *new_operand += ")";
    return true;
  }
  bool AllowSingleOperand() const override { return has_single_; }

 private:
  const bool has_partial_;
  const bool has_single_;
};

// Does what the value says: "rm", "purge", "chg", "ent", "skip:KEY". Of an
// entity, its first column does.
class SayingFilter final : public CompactionFilter {
 public:
  std::string_view Name() const override { return "Saying"; }
  Decision Filter(const Entry& entry, Change* change) override {
    const std::string says = entry.type == ValueType::kWideColumnEntity
                                 ? entry.columns[0].value.ToString()
                                 : entry.value.ToString();
    if (says == "rm") return Decision::kRemove;
    if (says == "purge") return Decision::kPurge;
    if (says == "chg") {
      change->new_value = "changed";
      return Decision::kChangeValue;
    }
    if (says == "ent") {
      change->new_columns = {{"z", "1"}, {"", "d"}};
      return Decision::kChangeWideColumnEntity;
    }
    if (says.starts_with("skip:")) {
      change->skip_until = says.substr(5);
      return Decision::kRemoveAndSkipUntil;
    }
    return Decision::kKeep;
  }
};

class PrefixPartitioner final : public OutputPartitioner {
 public:
  std::string_view Name() const override { return "Prefix"; }
  bool ShouldPartition(const Slice& previous, const Slice& next,
                       uint64_t /*file_size*/) override {
    const auto prefix = [](const Slice& key) {
      return key.ToStringView().substr(0, 2);
    };
    return prefix(previous) != prefix(next);
  }
};

// A case, with all that a run of it needs.
class CaseRun {
 public:
  explicit CaseRun(const CompactionCase& of)
      : of_(of),
        level_(of.OutputLevel()),
        has_timestamps_(of.Has("uts") || of.Has("uts nopersist")),
        merge_(!of.Has("cat nopartial"), of.Has("cat single")),
        entries_(MapOf({}, has_timestamps_ ? BytewiseComparatorWithU64Ts()
                                           : BytewiseComparator())) {
    options_.iterator.comparator =
        has_timestamps_ ? BytewiseComparatorWithU64Ts() : BytewiseComparator();
    options_.table.comparator = options_.iterator.comparator;
    options_.table.compression = CompressionType::kNoCompression;
    if (of.options.contains("compression") &&
        of.options.at("compression") == "kZSTD") {
      options_.table.compression = CompressionType::kZSTD;
    }
    options_.table.filter = FilterType::kNone;
    if (of.Has("block 64000")) options_.table.block_size = 64000;
    options_.table.persist_user_defined_timestamps = !of.Has("uts nopersist");
    options_.build = FixedBuild();
  }

  CompactionCaseResult Run() {
    SetRules();
    SetCutter();
    std::vector<CompactionRun> runs;
    if (!of_.IsFlush()) runs = Runs();
    CompactionCaseResult result;
    std::vector<std::string> borders = PartBorders();
    borders.emplace_back();
    for (const std::string& end : borders) {
      options_.end = end;
      std::vector<CompactionMemory> memory;
      if (of_.IsFlush()) memory.push_back(Memory());
      MemoryOutputs outputs;
      CompactionResult counts;
      result.status =
          CompactTables(options_, runs, std::move(memory), &outputs, &counts);
      for (MemoryOutputs::File& file : outputs.files) {
        result.outputs.push_back(Dumped(std::move(file)));
      }
      options_.start = end;
    }
    return result;
  }

 private:
  CompactionCase::File Dumped(MemoryOutputs::File file) const {
    CompactionCase::File dumped;
    dumped.level = level_;
    dumped.smallest = file.smallest;
    dumped.largest = file.largest;
    dumped.smallest_seqno = file.summary.smallest_seqno.value();
    dumped.largest_seqno = file.summary.largest_seqno.value();
    ReaderOptions options;
    options.comparator = options_.iterator.comparator;
    const auto reader = OpenTable(std::move(file.bytes), options);
    ReadOptions all;
    all.ignore_range_deletions = true;
    Require(ReadForward(*reader, all, &dumped.entries));
    for (const Entry& each : RangeDeletionsOf(*reader)) {
      dumped.entries.push_back(each);
    }
    // The cases have such keys as they are stored.
    if (of_.Has("uts nopersist")) {
      for (Entry& each : dumped.entries) {
        each.key.erase(each.key.size() - 2 * sizeof(uint64_t),
                       sizeof(uint64_t));
      }
    }
    return dumped;
  }
  // The keys at which RocksDB began its subcompactions. It chose them by the
  // indexes of the inputs.
  std::vector<std::string> PartBorders() const {
    if (of_.name == "g14-sub") return {"k00151", "k00303"};
    if (of_.name == "g15-sub-tomb") return {"k00142", "k0028"};
    return {};
  }
  bool IsUniversal() const { return of_.options.contains("compaction_style"); }
  std::string PlainUserKey(const std::string& internal_key) const {
    const Slice user_key = UserKeyOf(internal_key);
    return WithoutTimestamp(user_key,
                            options_.iterator.comparator->timestamp_size())
        .ToString();
  }
  // The user keys between which all inputs are.
  std::pair<std::string, std::string> InputRange() const {
    std::pair<std::string, std::string> range;
    for (const CompactionCase::File& file : of_.inputs) {
      const bool is_first = &file == of_.inputs.data();
      const std::string smallest = PlainUserKey(file.smallest);
      const std::string largest = PlainUserKey(file.largest);
      if (is_first || smallest < range.first) range.first = smallest;
      if (is_first || largest > range.second) range.second = largest;
    }
    return range;
  }
  std::vector<FileRange> LevelFiles(int level) const {
    std::vector<FileRange> files;
    for (const CompactionCase::File& file : of_.others) {
      if (file.level == level) {
        files.push_back({file.smallest, file.largest, file.size});
      }
    }
    std::sort(files.begin(), files.end(),
              [](const FileRange& a, const FileRange& b) {
                return a.smallest < b.smallest;
              });
    return files;
  }

  bool IsBottommost() const {
    const auto [smallest, largest] = InputRange();
    if (level_ != 0) return !older_->Overlaps(smallest, largest);
    // The inputs must have the oldest file of level 0, and nothing deeper.
    for (const CompactionCase::File& file : of_.others) {
      if (file.level > 0 ||
          file.largest_seqno < of_.inputs.front().smallest_seqno) {
        return false;
      }
    }
    return true;
  }

  void SetRules() {
    std::vector<std::vector<FileRange>> levels;
    constexpr int kLevels = 7;
    for (int level = level_ + 1; level < kLevels; ++level) {
      levels.push_back(LevelFiles(level));
    }
    older_.emplace(options_.iterator.comparator, std::move(levels));
    CompactionIteratorOptions& rules = options_.iterator;
    rules.is_flush = of_.IsFlush();
    rules.bottommost = !rules.is_flush && IsBottommost();
    rules.allow_ingest_behind = of_.options.contains("allow_ingest_behind");
    rules.enforce_single_del_contracts =
        !of_.options.contains("enforce_single_del_contracts");
    if (!IsUniversal() && level_ > 0) {
      rules.may_exist_deeper = [this](const Slice& key) {
        return older_->MayHave(key);
      };
      options_.range_may_exist_deeper = [this](const Slice& begin,
                                               const Slice& end) {
        return older_->MayHaveRange(begin, end);
      };
    }
    for (const auto& [name, sequence] : of_.snapshots) {
      const bool released = std::find(of_.ops.begin(), of_.ops.end(),
                                      "rel " + name) != of_.ops.end();
      if (released) continue;
      rules.snapshots.push_back(sequence);
      if (name.starts_with("wc:")) {
        rules.earliest_write_conflict_snapshot =
            std::min(rules.earliest_write_conflict_snapshot, sequence);
      }
    }
    if (of_.options.contains("preserve_internal_time_seconds")) {
      // The case with one second waits between sequence numbers 102 and 103.
      const bool is_short =
          of_.options.at("preserve_internal_time_seconds") == "1";
      rules.preserve_seqno_after = is_short ? 102 : 0;
      rules.sequence_at_time = [](uint64_t /*time*/) { return 0; };
    }
    for (const std::string& op : of_.ops) {
      if (op.starts_with("tslow ")) {
        rules.full_history_ts_low = EncodeU64Ts(std::stoull(op.substr(6)));
      }
    }
    rules.merge_operator = &merge_;
    if (of_.Has("filter") || of_.Has("filterfactory flush")) {
      rules.compaction_filter = &filter_;
    }
  }

  void SetCutter() {
    options_.cuts_outputs = level_ > 0 && !of_.IsFlush();
    OutputCutterOptions& cutter = options_.cutter;
    cutter.cut_inside_user_keys = true;
    cutter.level_style = !IsUniversal();
    if (of_.Has("partition 2")) cutter.partitioner = &partitioner_;
    options_.target_file_size_is_upper_bound =
        of_.options.contains("target_file_size_is_upper_bound");
    const size_t limit = of_.actions.back().find("limit=");
    if (limit != std::string::npos) {
      cutter.target_file_size =
          std::stoull(of_.actions.back().substr(limit + 6));
    }
    if (of_.IsAutomatic()) {
      cutter.target_file_size = of_.Number("target_file_size_base", 64 << 20);
      cutter.max_compaction_bytes =
          of_.Number("max_compaction_bytes", 25 * cutter.target_file_size);
      // Universal compactions look at none.
      if (!IsUniversal()) SetGrandparents();
    }
    if (of_.name == "x01-ttl-cut") {
      // The file of level 1 is older than half the TTL.
      const CompactionCase::File& old = of_.inputs.back();
      cutter.cut_around = {{old.smallest, old.largest, old.size}};
    }
    if (of_.name == "x03-rr") cutter.cut_at = of_.inputs.back().smallest;
  }

  void SetGrandparents() {
    const auto [smallest, largest] = InputRange();
    constexpr int kLevels = 7;
    for (int level = level_ + 1; level < kLevels; ++level) {
      for (const FileRange& file : LevelFiles(level)) {
        if (PlainUserKey(file.largest) < smallest ||
            PlainUserKey(file.smallest) > largest) {
          continue;
        }
        options_.cutter.grandparents.push_back(file);
      }
      if (!options_.cutter.grandparents.empty()) return;
    }
  }

  std::vector<CompactionRun> Runs() {
    std::vector<CompactionRun> runs;
    int last_level = 0;
    for (const CompactionCase::File& file : of_.inputs) {
      std::vector<Entry> entries = file.entries;
      // An ingested file has its sequence number in the metadata.
      for (Entry& entry : entries) {
        if (SequenceOf(entry.key) < file.smallest_seqno) {
          entry.key = MakeInternalKey(UserKeyOf(entry.key), file.smallest_seqno,
                                      TypeOf(entry.key));
        }
      }
      ReaderOptions options;
      options.comparator = options_.iterator.comparator;
      readers_.push_back(
          OpenTable(BuildTable(options_.table, entries), options));
      if (file.level == 0 || file.level != last_level) runs.emplace_back();
      last_level = file.level;
      runs.back().push_back(
          {readers_.back().get(), file.smallest, file.largest});
    }
    return runs;
  }

  void Write(const std::vector<std::string>& words, SequenceNumber sequence,
             const std::string& timestamp, CompactionMemory* memory) {
    const std::string& op = words[0];
    if (op == "drange") {
      const std::string& begin = kept_.emplace_back(words[1] + timestamp);
      const std::string& end = kept_.emplace_back(words[2] + timestamp);
      memory->range_deletions.push_back({begin, end, sequence});
      return;
    }
    ValueType type = ValueType::kTypeValue;
    std::string value = words.size() > 2 ? words[2] : "";
    if (op == "del") {
      type = timestamp.empty() ? ValueType::kTypeDeletion
                               : ValueType::kTypeDeletionWithTimestamp;
    } else if (op == "sdel") {
      type = ValueType::kTypeSingleDeletion;
    } else if (op == "merge") {
      type = ValueType::kTypeMerge;
    } else if (op == "timedput") {
      type = ValueType::kTypeValuePreferredSeqno;
      value.append(sizeof(uint64_t), '\0');
    } else if (op != "put") {
      throw std::runtime_error("an operation that no case of a flush has: " +
                               op);
    }
    entries_[MakeInternalKey(words[1] + timestamp, sequence, type)] = value;
  }

  CompactionMemory Memory() {
    constexpr SequenceNumber kFirstPreserved = 101;
    SequenceNumber sequence =
        of_.options.contains("preserve_internal_time_seconds") ? kFirstPreserved
                                                               : 1;
    std::string timestamp;
    CompactionMemory memory;
    for (const std::string& op : of_.ops) {
      std::istringstream in(op);
      std::vector<std::string> words;
      for (std::string word; in >> word;) words.push_back(word);
      if (words[0] == "ts") {
        timestamp = EncodeU64Ts(std::stoull(words[1]));
      } else if (words[0] != "snap" && words[0] != "wcsnap" &&
                 words[0] != "tslow" && words[0] != "flush") {
        Write(words, sequence++, timestamp, &memory);
      }
    }
    memory.entries = std::make_unique<MapSource>(&entries_);
    return memory;
  }

  const CompactionCase& of_;
  const int level_;
  const bool has_timestamps_;
  CatOperator merge_;
  SayingFilter filter_;
  PrefixPartitioner partitioner_;
  CompactionOptions options_;
  std::optional<OlderFiles> older_;
  std::vector<std::unique_ptr<TableReader>> readers_;
  std::deque<std::string> kept_;
  EntryMap entries_;
};

}  // namespace

CompactionCaseResult RunCompactionCase(const CompactionCase& of) {
  return CaseRun(of).Run();
}

}  // namespace ashlar::testing
