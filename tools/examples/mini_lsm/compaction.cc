// Flush and compaction of mini_lsm. CompactTables does the work. What is here
// says which tables take part, where the new ones go, and when the old ones
// stop to count.
//
// The order of steps makes a kill harmless. (1) New tables are written, synced
// and named. (2) The manifest that names them, and no longer their inputs,
// replaces the old one. (3) Reads get the new view. (4) The inputs are deleted
// when no read needs them. A kill leaves, before (2), new tables that nothing
// names, and after it old ones. The next Open deletes them.
#include "tools/examples/mini_lsm/db.h"

namespace mini_lsm {

ashlar::CompactionOptions Db::JobOptions() {
  ashlar::CompactionOptions options;
  options.table = options_.table;
  options.iterator.merge_operator = options_.merge_operator.get();
  const std::scoped_lock lock(state_mutex_);
  options.iterator.snapshots.assign(snapshots_.begin(), snapshots_.end());
  return options;
}

// Makes the tables of a flush or a compaction.
Status Db::MakeTables(const ashlar::CompactionOptions& options,
                      const std::vector<ashlar::CompactionRun>& runs,
                      std::vector<ashlar::CompactionMemory> memory,
                      ashlar::VersionLevel* tables) {
  ashlar::NumberedOutputs outputs(
      {.next_number = [&] { return manifest_.next_file++; },
       .path = [&](uint64_t n) { return folder_ + "/" + TableName(n); },
       .file = {.sync = options_.sync_files}});
  ashlar::CompactionResult result;
  Status status = ashlar::CompactTables(options, runs, std::move(memory),
                                        &outputs, &result);
  if (!status.ok()) return status;
  for (ashlar::NumberedOutput& made : outputs.Take(result)) {
    tables->push_back(
        NewTable(folder_, tables_.get(), made.number, std::move(made.range)));
  }
  return {};
}

// A flush. Afterwards writes go to a new log and a new memtable.
Status Db::FlushMemtable() {
  ashlar::CompactionOptions options = JobOptions();
  options.iterator.is_flush = true;
  options.cuts_outputs = false;
  std::vector<ashlar::CompactionMemory> memory(1);
  memory[0].entries = view_->memtable->NewSource();
  memory[0].range_deletions = view_->memtable->range_deletions();
  ashlar::VersionLevel tables;
  Status status = MakeTables(options, {}, std::move(memory), &tables);
  if (!status.ok()) return status;
  Manifest next = manifest_;
  next.version.Replace({}, tables, 0);
  next.sequence = sequence_;
  const uint64_t old_log = std::exchange(next.log, next.next_file++);
  auto log = ashlar::OpenWritableFile(folder_ + "/" + LogName(next.log));
  if (!log.ok()) return log.status();
  status = Install(std::move(next), std::make_shared<Memtable>());
  if (!status.ok()) return status;
  log_ = std::move(log).value();
  std::error_code ignored;  // the next Open tries again
  std::filesystem::remove(folder_ + "/" + LogName(old_log), ignored);
  return {};
}

// A level is due if it has too many tables (level 0: each of them costs every
// read) or too many bytes (deeper levels).
bool Db::IsDue(size_t level, uint64_t most_bytes) const {
  const ashlar::VersionLevel& files = manifest_.version.levels[level];
  if (level == 0) {
    return files.size() >= options_.level0_file_num_compaction_trigger;
  }
  uint64_t bytes = 0;
  for (const auto& file : files) bytes += file->range().size;
  return bytes > most_bytes;
}

Status Db::CompactWhatIsDue() {
  Status status;
  uint64_t most_bytes = options_.max_bytes_for_level_base;
  for (size_t level = 0; level < kLastLevel; ++level) {
    while (status.ok() && IsDue(level, most_bytes)) {
      status = CompactLevel(level);
    }
    if (level > 0) most_bytes *= 10;
  }
  return status;
}

// Picks tables of a level that go to the next: all of level 0, and of another
// level the oldest table, so that all get their turn.
Status Db::CompactLevel(size_t level) {
  ashlar::TableVersion inputs;
  ashlar::VersionLevel& picked = inputs.levels[level];
  picked = manifest_.version.levels[level];
  if (level > 0) {
    picked = {*std::min_element(picked.begin(), picked.end(),
                                [](const auto& a, const auto& b) {
                                  return a->number() < b->number();
                                })};
  }
  inputs.levels[level + 1] = manifest_.version.Overlapping(level + 1, picked);
  return RunCompaction(inputs, level + 1);
}

// A compaction of these tables of each level.
Status Db::RunCompaction(const ashlar::TableVersion& inputs,
                         size_t output_level) {
  auto opened = ashlar::OpenedTables::Open(inputs, tables_.get());
  if (!opened.ok()) return opened.status();
  const std::vector<ashlar::CompactionRun> runs = opened->Runs();
  if (runs.empty()) return {};
  const ashlar::VersionLevel replaced = inputs.All();
  ashlar::CompactionOptions options = JobOptions();
  // Where no deeper table may have a key, deletions of it can go. Outputs end
  // where tables of the level after theirs do, so that the next compaction of
  // each takes few of these.
  ashlar::SetDeeperFiles(manifest_.version.RangesBelow(output_level), runs,
                         &options);
  options.cutter.target_file_size = options_.target_file_size_base;
  options.cutter.max_compaction_bytes = 25 * options_.target_file_size_base;
  ashlar::VersionLevel tables;
  Status status = MakeTables(options, runs, {}, &tables);
  if (!status.ok()) return status;
  Manifest next = manifest_;
  next.version.Replace(replaced, tables, output_level);
  status = Install(std::move(next), view_->memtable);
  if (!status.ok()) return status;
  for (const auto& file : replaced) file->MarkObsolete();
  return {};
}

// Writes the manifest: the change has happened. Then shows it to reads.
Status Db::Install(Manifest next, std::shared_ptr<Memtable> memtable) {
  Status status = WriteManifest(folder_, next, options_.sync_files);
  if (!status.ok()) return status;
  auto view = std::make_shared<View>(View{std::move(memtable), next.version});
  manifest_ = std::move(next);
  const std::scoped_lock lock(state_mutex_);
  view_ = std::move(view);
  return {};
}

Status Db::Flush() {
  const std::scoped_lock writing(write_mutex_);
  if (failed_.ok() && !view_->memtable->empty()) failed_ = FlushMemtable();
  if (failed_.ok()) failed_ = CompactWhatIsDue();
  return failed_;
}

Status Db::Compact() {
  const std::scoped_lock writing(write_mutex_);
  if (failed_.ok() && !view_->memtable->empty()) failed_ = FlushMemtable();
  if (failed_.ok()) failed_ = RunCompaction(manifest_.version, kLastLevel);
  return failed_;
}

}  // namespace mini_lsm
