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

// The tables that a flush or a compaction makes.
class NewTables final : public ashlar::CompactionOutputs {
 public:
  explicit NewTables(Db* db) : db_(db) {}

  ashlar::Result<ashlar::WritableFile*> Begin(
      size_t /*number*/, ashlar::TableOptions* /*options*/,
      ashlar::BuildOptions* build_options) override {
    const uint64_t number = db_->manifest_.next_file++;
    build_options->identity.file_number = number;
    table_ =
        std::make_shared<TableFile>(db_->tables_.get(), db_->folder_, number);
    auto file = ashlar::AtomicFile::Create(table_->path,
                                           {.sync = db_->options_.sync_files});
    if (!file.ok()) return file.status();
    file_ = std::move(file).value();
    return file_->file();
  }
  Status End(const ashlar::CompactionOutput& output) override {
    table_->range = {output.smallest, output.largest,
                     output.builder->FileSize()};
    tables.push_back(table_);
    return file_->Commit();
  }
  void Drop(size_t /*number*/) override { file_.reset(); }

  Level tables;

 private:
  Db* const db_;
  std::unique_ptr<ashlar::AtomicFile> file_;  // of the output that is open
  std::shared_ptr<TableFile> table_;
};

ashlar::CompactionOptions Db::JobOptions() {
  ashlar::CompactionOptions options;
  options.table = options_.table;
  options.iterator.merge_operator = options_.merge_operator.get();
  const std::scoped_lock lock(state_mutex_);
  options.iterator.snapshots.assign(snapshots_.begin(), snapshots_.end());
  return options;
}

// A flush. Afterwards writes go to a new log and a new memtable.
Status Db::FlushMemtable() {
  ashlar::CompactionOptions options = JobOptions();
  options.iterator.is_flush = true;
  options.cuts_outputs = false;
  std::vector<ashlar::CompactionMemory> memory(1);
  memory[0].entries = view_->memtable->NewSource();
  memory[0].range_deletions = view_->memtable->range_deletions();
  NewTables outputs(this);
  ashlar::CompactionResult result;
  Status status =
      ashlar::CompactTables(options, {}, std::move(memory), &outputs, &result);
  if (!status.ok()) return status;
  Manifest next = manifest_;
  Level& level0 = next.version[0];
  level0.insert(level0.begin(), outputs.tables.begin(), outputs.tables.end());
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
Status Db::CompactWhatIsDue() {
  Status status;
  uint64_t limit = options_.max_bytes_for_level_base;
  for (size_t level = 0; level + 1 < kLevels; ++level) {
    const auto is_due = [&] {
      const Level& files = manifest_.version[level];
      if (level == 0) {
        return files.size() >= options_.level0_file_num_compaction_trigger;
      }
      uint64_t bytes = 0;
      for (const auto& file : files) bytes += file->range.size;
      return bytes > limit;
    };
    while (status.ok() && is_due()) status = CompactLevel(level);
    if (level > 0) limit *= 10;
  }
  return status;
}

namespace {

// Returns the user keys between which the tables are, both inclusive.
std::pair<Slice, Slice> Bounds(const Level& files) {
  std::pair<Slice, Slice> bounds(files[0]->first(), files[0]->last());
  for (const auto& file : files) {
    bounds.first = std::min(bounds.first, file->first());
    bounds.second = std::max(bounds.second, file->last());
  }
  return bounds;
}

Level Overlapping(const Level& files, const std::pair<Slice, Slice>& bounds) {
  Level result;
  for (const auto& file : files) {
    if (file->Overlaps(bounds.first, bounds.second)) result.push_back(file);
  }
  return result;
}

// Returns, level by level, the ranges of all tables below a level.
std::vector<std::vector<ashlar::FileRange>> RangesBelow(const Version& version,
                                                        size_t level) {
  std::vector<std::vector<ashlar::FileRange>> ranges;
  while (++level < kLevels) {
    ranges.emplace_back();
    for (const auto& file : version[level])
      ranges.back().push_back(file->range);
  }
  return ranges;
}

// Opens the inputs of a compaction, in runs of tables that do not overlap.
Status OpenRuns(const Version& inputs, ashlar::TableCache* cache,
                std::vector<ashlar::TableHandle>* handles,
                std::vector<ashlar::CompactionRun>* runs) {
  for (size_t level = 0; level < kLevels; ++level) {
    for (const auto& file : inputs[level]) {
      auto table = cache->Find(file->number);
      if (!table.ok()) return table.status();
      if (level == 0 || file == inputs[level][0]) runs->emplace_back();
      runs->back().push_back(
          {table->get(), file->range.smallest, file->range.largest});
      handles->push_back(std::move(table).value());
    }
  }
  return {};
}

void Replace(const Level& inputs, const Level& outputs, size_t output_level,
             Version* version) {
  for (Level& level : *version) {
    std::erase_if(level, [&](const auto& file) {
      return std::find(inputs.begin(), inputs.end(), file) != inputs.end();
    });
  }
  Level& level = (*version)[output_level];
  level.insert(level.end(), outputs.begin(), outputs.end());
  std::sort(level.begin(), level.end(), [](const auto& a, const auto& b) {
    return a->first() < b->first();
  });
}

}  // namespace

// Picks tables of a level that go to the next: all of level 0, and of another
// level the oldest table, so that all get their turn.
Status Db::CompactLevel(size_t level) {
  Version inputs;
  inputs[level] = manifest_.version[level];
  if (level > 0) {
    inputs[level] = {*std::min_element(
        inputs[level].begin(), inputs[level].end(),
        [](const auto& a, const auto& b) { return a->number < b->number; })};
  }
  inputs[level + 1] =
      Overlapping(manifest_.version[level + 1], Bounds(inputs[level]));
  return RunCompaction(inputs, level + 1);
}

// A compaction of these tables of each level.
Status Db::RunCompaction(const Version& inputs, size_t output_level) {
  Level all;
  for (const Level& level : inputs) {
    all.insert(all.end(), level.begin(), level.end());
  }
  if (all.empty()) return {};
  const auto [first, last] = Bounds(all);

  // Where no deeper table may have a key, deletions of it can go.
  const auto deeper = RangesBelow(manifest_.version, output_level);
  const ashlar::OlderFiles older(ashlar::BytewiseComparator(), deeper);
  ashlar::CompactionOptions options = JobOptions();
  options.iterator.bottommost = !older.Overlaps(first, last);
  options.iterator.may_exist_deeper = [&](const Slice& key) {
    return older.MayHave(key);
  };
  options.range_may_exist_deeper = [&](const Slice& begin, const Slice& end) {
    return older.MayHaveRange(begin, end);
  };
  // Outputs end where tables of the level after theirs do, so that the next
  // compaction of each takes few of these.
  options.cutter.target_file_size = options_.target_file_size_base;
  options.cutter.max_compaction_bytes = 25 * options_.target_file_size_base;
  if (!deeper.empty()) options.cutter.grandparents = deeper[0];

  std::vector<ashlar::TableHandle> handles;  // keep the inputs open
  std::vector<ashlar::CompactionRun> runs;
  Status status = OpenRuns(inputs, tables_.get(), &handles, &runs);
  if (!status.ok()) return status;
  NewTables outputs(this);
  ashlar::CompactionResult result;
  status = ashlar::CompactTables(options, runs, {}, &outputs, &result);
  if (!status.ok()) return status;

  Manifest next = manifest_;
  Replace(all, outputs.tables, output_level, &next.version);
  status = Install(std::move(next), view_->memtable);
  if (!status.ok()) return status;
  for (const auto& file : all) file->obsolete = true;
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
  if (failed_.ok()) failed_ = RunCompaction(manifest_.version, kLevels - 1);
  return failed_;
}

}  // namespace mini_lsm
