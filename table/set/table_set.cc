// What TableSet itself does is step 1 of the protocol in set_commit.cc: it
// writes tables into the run folder. Each file there is an AtomicFile, so a
// table has its name in the run folder only when it is complete and synced.
// The map of numbers has a mutex, so that parts of a compaction may begin and
// end tables side by side; bytes are appended without it.
//
// The order of the list. The numbers of a compaction's outputs say when they
// began, which for parts side by side is no order of keys. So End remembers the
// smallest internal key of each output, and Commit sorts by it. In the run
// folder a table has the name of its number; its final name is by its place in
// the list.
#include "ashlar/table/table_set.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ashlar/table/internal_key_less.h"
#include "ashlar/util/file_checksum.h"
#include "ashlar/util/sync/mutex.h"
#include "table/set/open_folder.h"
#include "table/set/run_folder.h"
#include "table/set/set_calls.h"
#include "table/set/set_commit.h"
#include "table/set/set_manifest.h"
#include "table/set/set_names.h"
#include "table/set/set_recovery.h"
#include "util/mem/memory_limit.h"

namespace ashlar {
namespace {

using internal::Mutex;
using internal::MutexLock;
using internal::OpenFolder;
using internal::OrMemoryLimit;
using internal::RunFolder;
using internal::SetCalls;
using internal::SetManifest;
using internal::SetNames;

// A table in the run folder. Counts its bytes and computes their checksum.
class NewTable final : public WritableFile {
 public:
  NewTable(std::unique_ptr<AtomicFile> file, const SetCalls& calls)
      : file_(std::move(file)), calls_(calls) {}
  ~NewTable() override {
    const Status status = file_->RemoveTemporary();
    if (!status.ok()) calls_.Warn(status.message());
  }

  Status Append(const Slice& data) override {
    Status status = file_->file()->Append(data);
    if (!status.ok()) return status;
    bytes_ += data.size();
    checksum_ = ExtendFileChecksum(checksum_, data);
    return status;
  }
  Status Sync() override { return file_->file()->Sync(); }
  // Commit closes the file.
  Status Close() override { return Status(); }
  std::string name() const override { return file_->file()->name(); }

  Status Commit() { return file_->Commit(); }
  uint64_t bytes() const { return bytes_; }
  uint32_t checksum() const { return checksum_; }

 private:
  const std::unique_ptr<AtomicFile> file_;
  const SetCalls& calls_;
  uint64_t bytes_ = 0;
  uint32_t checksum_ = 0;
};

// A table that is complete.
struct EndedTable {
  size_t number = 0;
  // For an output of a compaction, the internal key that it begins with. Empty
  // for a table that the caller built.
  std::string begin;
  TableSetTable listed;
};

// Whether `a` is listed before `b`, for another reason than its number. The
// comparator is that of the outputs; null if there are none.
bool IsListedBefore(const Comparator* comparator, const EndedTable& a,
                    const EndedTable& b) {
  if (a.begin.empty() || b.begin.empty()) {
    return !a.begin.empty() && b.begin.empty();
  }
  return CompareInternalKeys(comparator, a.begin, b.begin) < 0;
}

SetCalls CallsOf(const TableSetOptions& options) {
  return {options.warn, options.is_cancelled};
}

Status IsOpen(size_t number) {
  return Status::InvalidArgument("table " + std::to_string(number) +
                                 " of the set was begun already");
}

// Returns InvalidArgument if a name is taken.
Status CheckNames(const std::string& path) {
  const Result<std::vector<std::string>> taken = FindTableSetFiles(path);
  if (!taken.ok() || taken->empty()) return taken.status();
  return Status::InvalidArgument(taken->front() +
                                 " exists, and is not to be replaced");
}

}  // namespace

struct TableSet::State {
  explicit State(TableSetOptions the_options)
      : options(std::move(the_options)),
        names(options.path),
        manifest(names.parent() + names.Manifest()) {}

  const TableSetOptions options;
  const SetNames names;
  const std::string manifest;
  // Must be declared before the files in it, so that it is destroyed after
  // them.
  std::unique_ptr<RunFolder> folder;
  Mutex mutex;
  // By number, those that were begun and not dropped. Null: the table is ended.
  std::map<size_t, std::unique_ptr<NewTable>> files
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex));
  std::map<size_t, EndedTable> ended ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex));
  // Of the outputs of the compaction. Null: there are none.
  const Comparator* comparator ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex)) =
      nullptr;
  bool is_committed ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex)) = false;

  // Set by Commit.
  std::vector<TableSetTable> tables;
  std::vector<std::string> made_as;  // their names in the folder

  // Adds a table. `begin` is as in EndedTable.
  Status End(size_t number, std::string begin, TableSetTable table);

  // Moves the ended tables to `tables`. Returns InvalidArgument if one is open,
  // or if this was done before.
  Status TakeEnded() {
    const MutexLock hold(&mutex);
    if (is_committed) {
      return Status::InvalidArgument(manifest + ": was committed before");
    }
    for (const auto& [number, file] : files) {
      if (file == nullptr && ended.contains(number)) continue;
      return Status::InvalidArgument("table " + std::to_string(number) +
                                     " of the set is not complete");
    }
    is_committed = true;
    std::vector<EndedTable> in_order;
    in_order.reserve(ended.size());
    for (auto& [number, table] : ended) in_order.push_back(std::move(table));
    // Stable: tables that are not outputs stay by number.
    std::stable_sort(
        in_order.begin(), in_order.end(),
        [order = comparator](const EndedTable& a, const EndedTable& b) {
          return IsListedBefore(order, a, b);
        });
    for (EndedTable& table : in_order) {
      made_as.push_back(names.Table(table.number + 1));
      tables.push_back(std::move(table.listed));
    }
    return Status();
  }
};

TableSet::TableSet(std::unique_ptr<State> state) : state_(std::move(state)) {}
TableSet::~TableSet() = default;

Result<std::unique_ptr<TableSet>> TableSet::Create(TableSetOptions options) {
  return OrMemoryLimit([&]() -> Result<std::unique_ptr<TableSet>> {
    auto state = std::make_unique<State>(std::move(options));
    if (state->options.recover) {
      Status status = RecoverTableSet(state->options, nullptr);
      if (status.ok() && !state->options.overwrite) {
        status = CheckNames(state->options.path);
      }
      if (!status.ok()) return status;
    }
    auto folder = RunFolder::Create(state->names, CallsOf(state->options));
    if (!folder.ok()) return folder.status();
    state->folder = std::move(folder).value();
    return std::unique_ptr<TableSet>(new TableSet(std::move(state)));
  });
}

Result<WritableFile*> TableSet::Begin(size_t number,
                                      TableOptions* table_options,
                                      BuildOptions* build_options) {
  {
    const MutexLock hold(&state_->mutex);
    state_->comparator = table_options->comparator;
  }
  if (build_options->identity.file_number == 0 ||
      build_options->identity.file_number == 1) {
    build_options->identity.file_number = number + 1;
  }
  return BeginTable(number);
}

Result<WritableFile*> TableSet::BeginTable(size_t number) {
  return OrMemoryLimit([&]() -> Result<WritableFile*> {
    const MutexLock hold(&state_->mutex);
    const auto [place, is_new] = state_->files.try_emplace(number);
    if (!is_new || state_->is_committed) return IsOpen(number);
    const RunFolder& folder = *state_->folder;
    auto file = AtomicFile::Create(
        folder.folder().PathOf(state_->names.Table(number + 1)),
        {.overwrite = false, .file = state_->options.file});
    if (!file.ok()) {
      state_->files.erase(place);
      return file.status();
    }
    place->second =
        std::make_unique<NewTable>(std::move(file).value(), folder.calls());
    return place->second.get();
  });
}

Status TableSet::End(const CompactionOutput& output) {
  return OrMemoryLimit([&] {
    TableSetTable table;
    table.smallest = UserKeyOf(output.smallest).ToString();
    table.largest = UserKeyOf(output.largest).ToString();
    table.largest_is_exclusive = IsRangeDeletionEnd(output.largest);
    table.entries = output.builder->summary().num_entries;
    return state_->End(output.number, output.smallest, std::move(table));
  });
}

Status TableSet::EndTable(size_t number, TableSetTable table) {
  return OrMemoryLimit(
      [&] { return state_->End(number, {}, std::move(table)); });
}

Status TableSet::State::End(size_t number, std::string begin,
                            TableSetTable table) {
  std::unique_ptr<NewTable> file;
  {
    const MutexLock hold(&mutex);
    const auto found = files.find(number);
    if (found == files.end() || found->second == nullptr) {
      return Status::InvalidArgument("table " + std::to_string(number) +
                                     " of the set is not open");
    }
    file = std::move(found->second);
  }
  table.file_bytes = file->bytes();
  table.file_checksum = file->checksum();
  Status status = file->Commit();
  if (!status.ok()) return status;
  const MutexLock hold(&mutex);
  ended.emplace(number, EndedTable{number, std::move(begin), std::move(table)});
  return status;
}

void TableSet::Drop(size_t number) {
  std::unique_ptr<NewTable> file;
  const MutexLock hold(&state_->mutex);
  const auto found = state_->files.find(number);
  if (found == state_->files.end() || found->second == nullptr) return;
  file = std::move(found->second);
  state_->files.erase(found);
}

Status TableSet::Commit() {
  return OrMemoryLimit([&]() -> Status {
    State& state = *state_;
    Status status = state.TakeEnded();
    if (!status.ok()) return status;
    return internal::CommitSet(state.names, state.options.overwrite,
                               state.folder.get(), state.made_as,
                               &state.tables);
  });
}

const std::vector<TableSetTable>& TableSet::tables() const {
  return state_->tables;
}

std::vector<TableSetTable> TableSet::TakeTables() {
  return std::exchange(state_->tables, {});
}

const std::string& TableSet::manifest() const { return state_->manifest; }

Status RecoverTableSet(const TableSetOptions& options,
                       std::vector<std::string>* leftovers) {
  return OrMemoryLimit([&] {
    return internal::RecoverSet(SetNames(options.path),
                                options.remove_leftovers, CallsOf(options),
                                leftovers);
  });
}

Result<std::vector<TableSetTable>> ReadTableSet(const std::string& path) {
  return OrMemoryLimit([&]() -> Result<std::vector<TableSetTable>> {
    const SetNames names(path);
    const auto folder = OpenFolder::Open(names.parent(), /*follow=*/true);
    if (!folder.ok()) return folder.status();
    SetManifest manifest = internal::ReadManifest(*folder, names);
    if (manifest.state == SetManifest::State::kUnreadable) return manifest.why;
    if (manifest.state == SetManifest::State::kAbsent) {
      return Status::NotFound(folder->PathOf(names.Manifest()) +
                              ": does not exist");
    }
    for (TableSetTable& table : manifest.listed) {
      table.path = folder->PathOf(table.path);
    }
    return std::move(manifest.listed);
  });
}

Result<std::vector<std::string>> FindTableSetFiles(const std::string& path) {
  return OrMemoryLimit([&]() -> Result<std::vector<std::string>> {
    const SetNames names(path);
    std::vector<std::string> found;
    const auto folder = OpenFolder::Open(names.parent(), /*follow=*/true);
    if (!folder.ok()) {
      // Create reports that there is no such folder.
      const bool is_missing =
          folder.status().subcode() == Status::SubCode::kPathNotFound;
      if (is_missing) return found;
      return folder.status();
    }
    const auto all = folder->Names();
    if (!all.ok()) return all.status();
    for (const std::string& name : *all) {
      if (name == names.Manifest()) found.insert(found.begin(), name);
      if (names.IsTable(name)) found.push_back(name);
    }
    for (std::string& name : found) name = folder->PathOf(name);
    return found;
  });
}

}  // namespace ashlar
