// salvage: copies what can be read of a damaged table into a new one.
#include <memory>
#include <string>
#include <utility>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/embedded_references.h"
#include "tools/ashlar/inputs/inputs.h"
#include "tools/ashlar/inputs/lost_ranges.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/outputs/build_options.h"
#include "tools/ashlar/outputs/kept_options.h"
#include "tools/ashlar/outputs/output_path.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/results/results.h"
#include "tools/ashlar/print/stopwatch.h"

namespace ashlar::tool {
namespace {

class Salvage {
 public:
  Salvage(const CommandLine& line, SinkOptions options)
      : line_(line), options_(std::move(options)) {}

  void Run(const std::string& path, Report* report) {
    const Stopwatch stopwatch;
    if (!ReadAll(path, report)) return;
    if (inspection_.magic == TableMagic::kUnknown &&
        inspection_.blocks.empty()) {
      report->SetFileStatus("not_sst");
    }
    for (const TableFault& fault : inspection_.faults) report->AddFault(fault);
    if (inspection_.blocks.empty()) return;
    report->Opened(inspection_);
    WarnOfUnknownOrder(inspection_, *report);
    const Status status = Finish();
    if (!status.ok()) report->AddFault(status);
    if (dropped_ != 0) {
      report->AddFault(Status::Corruption(
          std::to_string(dropped_) + " entries left out, the first because: " +
          std::string(first_dropped_.message())));
    }
    if (status.ok()) report->FileIsDone();
    if (status.ok()) report->AddEntries(sink_->properties().num_entries);
    const auto micros = static_cast<double>(stopwatch.Read().wall_micros);
    Salvaged result = {.lost = lost_.ranges(),
                       .lost_bytes = lost_.bytes(),
                       .blocks_found = inspection_.found_blocks,
                       .index_has_user_keys = inspection_.index_has_user_keys,
                       .entries_left_out = dropped_,
                       .made = std::nullopt};
    if (status.ok())
      result.made.emplace(MadeTables{sink_->tables(), sink_->manifest(),
                                     micros / 1e6, FLAGS_out});
    report->Show(result);
  }

 private:
  Status Finish() {
    if (sink_ == nullptr && sink_status_.ok()) {
      if (!inspection_.faults.empty()) {
        return Status::NotFound("there is no entry to save");
      }
      sink_status_ = Begin();  // the table is sound, and empty
    }
    return sink_status_.ok() ? sink_->Finish() : sink_status_;
  }

  bool ReadAll(const std::string& path, Report* report) {
    path_ = path;
    Progress progress(path);
    InspectOptions options =
        InspectOptionsFromFlags(InspectOptions::DataBlocks::kRead);
    options.on_progress = [&progress](uint64_t done, uint64_t total) {
      return progress.Update(done, total);
    };
    options.follow_blobs = true;
    options.find_blocks = true;
    if (!FLAGS_comparator.empty()) {
      options.comparator = FindBuiltinComparator(FLAGS_comparator);
    }
    options.on_block = [this](const BlockInfo& block) { lost_.OnBlock(block); };
    options.on_entry = [this](const BlockInfo& block, const Slice& key,
                              const Slice& value) {
      if (block.kind == BlockKind::kData ||
          block.kind == BlockKind::kRangeDeletion) {
        Save(block.kind, key, value);
        has_range_deletions_ |= block.kind == BlockKind::kRangeDeletion;
      }
      lost_.OnEntry(block, key);
    };
    if (!InspectInto(path, options, &inspection_, report)) return false;
    lost_.Finish();
    return true;
  }

  // Creates the new table. This happens at the first entry that can be read: by
  // then, everything that the old table records about itself has been read.
  Status Begin() {
    Status order = ChooseComparator();
    if (!order.ok()) return order;
    // The entries may have any sequence number, and what the damaged file says
    // about them may be wrong.
    options_.external = false;
    const uint32_t version =
        inspection_.format_version.value_or(options_.table.format_version);
    const TableProperties* const properties =
        inspection_.properties ? &*inspection_.properties : nullptr;
    if (properties != nullptr) {
      global_sequence_ = properties->external_sst_file_global_seqno.value_or(0);
    } else {
      WarnOfGuesses();
    }
    KeepOptions(line_, {path_, version, properties}, &options_);
    const Comparator* const comparator = options_.table.comparator;
    if (!options_.table.persist_user_defined_timestamps) {
      stripped_timestamp_.assign(comparator->timestamp_size(), '\0');
    }
    auto sink = TableSink::Create(options_);
    if (!sink.ok()) return sink.status();
    sink_ = std::move(sink).value();
    return {};
  }

  Status ChooseComparator() {
    std::string name = inspection_.properties
                           ? inspection_.properties->comparator_name
                           : std::string();
    const std::string& given = FLAGS_comparator;
    if (!name.empty() && !given.empty() && name != given) {
      return Status::InvalidArgument("comparator " + name +
                                     " does not match the given one, " + given);
    }
    if (name.empty()) name = given;
    const Comparator* const comparator =
        name.empty() ? BytewiseComparator() : FindBuiltinComparator(name);
    if (comparator == nullptr) {
      return Status::NotSupported(
          "comparator " + name +
              " is not built in: entries cannot be put in order",
          Status::SubCode::kNotBuiltIn);
    }
    options_.table.comparator = comparator;
    return {};
  }

  // Prints no warning for a sound LevelDB table, which has no properties and
  // needs none.
  void WarnOfGuesses() const {
    if (inspection_.magic == TableMagic::kLegacyBlockBased &&
        inspection_.faults.empty() && inspection_.blocks_bad == 0) {
      return;
    }
    std::string text = path_ +
                       ": the properties are lost; salvage assumes that keys "
                       "are in the order of ";
    text += options_.table.comparator->Name();
    if (FLAGS_comparator.empty()) text += " (--comparator sets another)";
    text +=
        ", that timestamps are part of the keys, and that the file has no "
        "global sequence number";
    if (inspection_.looked_for_blocks && !has_range_deletions_) {
      text += " and had no range deletions";
    }
    PrintWarning(text);
  }

  void Save(BlockKind kind, const Slice& internal_key, const Slice& value) {
    if (sink_ == nullptr && sink_status_.ok()) sink_status_ = Begin();
    if (!sink_status_.ok()) return;
    const bool is_range = TypeOf(internal_key) == ValueType::kTypeRangeDeletion;
    if (is_range != (kind == BlockKind::kRangeDeletion)) {
      LeaveOut(
          Status::InvalidArgument("key " + DescribeInternalKey(internal_key) +
                                  " is of a type that its block cannot hold"));
      return;
    }
    if (RefersToBlob(internal_key, value)) {
      LeaveOut(Status::Corruption("key " + DescribeInternalKey(internal_key) +
                                  " has an embedded blob that cannot be read"));
      return;
    }
    Row row;
    row.key = UserKeyOf(internal_key);
    row.value = value;
    if (!stripped_timestamp_.empty()) {
      key_ = row.key.ToString() + stripped_timestamp_;
      row.key = key_;
      if (is_range) {
        end_ = value.ToString() + stripped_timestamp_;
        row.value = end_;
      }
    }
    row.sequence =
        global_sequence_ != 0 ? global_sequence_ : SequenceOf(internal_key);
    row.type = TypeOf(internal_key);
    const Status status = sink_->Add(row);
    if (status.ok()) return;
    if (status.IsInvalidArgument()) {
      LeaveOut(status);
    } else {
      sink_status_ = status;
    }
  }

  // Returns whether the entry still refers to a value within the old file. A
  // table whose properties are lost may have such values.
  bool RefersToBlob(const Slice& internal_key, const Slice& value) const {
    const auto& properties = inspection_.properties;
    if (properties && !properties->user_collected_properties.contains(
                          std::string(kEmbeddedBlobStatsProperty))) {
      return false;
    }
    bool refers = false;
    ForEachEmbeddedReference(internal_key, value,
                             [&refers](const BlobIndex&) { refers = true; });
    return refers;
  }

  // Leaves out an entry that is readable, but out of order, of a type that its
  // block cannot have, or without its blob.
  void LeaveOut(const Status& why) {
    if (dropped_++ == 0) first_dropped_ = why;
  }

  const CommandLine& line_;
  SinkOptions options_;
  std::string path_;
  TableInspection inspection_;
  LostRanges lost_{&inspection_};
  bool has_range_deletions_ = false;
  std::unique_ptr<TableSink> sink_;
  Status sink_status_;
  SequenceNumber global_sequence_ = 0;  // of all entries, or 0
  std::string stripped_timestamp_;      // is added to each key
  std::string key_;
  std::string end_;
  uint64_t dropped_ = 0;
  Status first_dropped_;
};

}  // namespace

int RunSalvage(const CommandLine& line) {
  SinkOptions options;
  std::string error = CheckComparatorFlag();
  if (error.empty())
    error = SinkOptionsFromFlags(line, &options, Unnamed::kAreKept);
  if (error.empty()) error = CheckIsOneFile(line, "salvage");
  if (!error.empty()) return UsageError(error);
  WarnOfLeftFiles(FLAGS_out);
  const Status free = CheckIsFree(FLAGS_out, line.inputs);
  if (!free.ok()) return OutputIsTaken(free);
  Salvage salvage(line, std::move(options));
  return RunOverFiles(line, "salvage",
                      [&salvage](const std::string& path, Report* report) {
                        salvage.Run(path, report);
                      });
}

}  // namespace ashlar::tool
