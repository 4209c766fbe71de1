#include "tools/ashlar/inputs/database.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "ashlar/table/table_cache.h"
#include "ashlar/util/printable.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/flags/split_list.h"
#include "tools/ashlar/inputs/inputs.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/table_folder.h"
#include "tools/ashlar/inputs/write_ahead_logs.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {
namespace {

// A writer may compact again and again while its tables are opened.
constexpr int kMostTries = 5;

bool Exists(const std::string& path) {
  struct stat attributes;
  return stat(path.c_str(), &attributes) == 0;
}

// If stat fails for another reason, this returns true. The call that reads
// CURRENT then returns the error. Otherwise a database would be shown as a
// folder of tables.
bool HasCurrent(const std::string& folder) {
  struct stat attributes;
  return stat((folder + "/CURRENT").c_str(), &attributes) == 0 ||
         (errno != ENOENT && errno != ENOTDIR);
}

Status CheckSize(const RandomAccessFile& file, const LiveTable& table) {
  if (file.Size() == table.file_size) return {};
  return Status::Corruption(
      file.name() + ": it has " + std::to_string(file.Size()) +
      " bytes, and the MANIFEST says " + std::to_string(table.file_size));
}

}  // namespace

bool IsDatabase(const std::string& path, FolderUse use) {
  if (use == FolderUse::kTables || FLAGS_each_table) return false;
  if (HasCurrent(path)) return true;
  return IsDirectory(path) && !FLAGS_recursive &&
         (use == FolderUse::kOneDatabase || FLAGS_one_database);
}

struct Database::State {
  DatabaseFiles files;
  // What ReadTableFolder gave, without its `files`. It has no names if the
  // folder has a CURRENT.
  TableFolder folder;
  const ColumnFamilyFiles* family = nullptr;  // in files
  std::map<uint64_t, const LiveTable*> by_number;
  std::unique_ptr<TableVersion> version;
  std::unique_ptr<TableCache> tables;
};

Database::Database(std::string folder) : folder_(std::move(folder)) {}
Database::~Database() = default;

bool Database::has_manifest() const { return state_->folder.names.empty(); }
const DatabaseFiles& Database::files() const { return state_->files; }
const ColumnFamilyFiles& Database::family() const { return *state_->family; }
const Comparator* Database::comparator() const {
  return state_->version->comparator();
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& folder) {
  std::unique_ptr<Database> database(new Database(folder));
  Status status = database->Load();
  if (!status.ok()) return status;
  return database;
}

Status Database::ReadFiles(State* state) const {
  if (HasCurrent(folder_)) {
    auto files = ReadDatabaseFiles(folder_);
    if (files.ok()) state->files = std::move(*files);
    return files.status();
  }
  auto folder = ReadTableFolder(folder_);
  if (!folder.ok()) return folder.status();
  state->files = std::move(folder->files);
  state->folder = std::move(*folder);
  return {};
}

Status Database::Load() {
  auto state = std::make_unique<State>();
  Status status = ReadFiles(state.get());
  if (!status.ok()) return status;
  status = Choose(state.get());
  if (status.ok()) status = MakeVersion(state.get());
  if (!status.ok()) return status.WithPrefix(folder_);
  state_ = std::move(state);
  return {};
}

// Opens tables of the state with open(). If one is missing because a writer has
// removed it since, does so again with the next state.
template <typename OpenSome>
Result<OpenedTables> Database::OpenWhileTheyLast(const OpenSome& open) {
  for (int i = 1;; ++i) {
    auto opened = open();
    if (opened.status().subcode() != Status::SubCode::kPathNotFound ||
        i == kMostTries) {
      return opened;
    }
    const std::vector<uint64_t> before = TableNumbers();
    Status status = Load();
    if (!status.ok()) return status;
    if (TableNumbers() == before) return opened;
  }
}

Result<OpenedTables> Database::OpenFor(std::span<const Slice> user_keys) {
  return OpenWhileTheyLast([&] {
    return OpenedTables::OpenFor(user_keys, *state_->version,
                                 state_->tables.get());
  });
}

Result<OpenedTables> Database::OpenRange(const KeyRange& range) {
  return OpenWhileTheyLast([&] {
    const TableVersion& all = *state_->version;
    const size_t timestamp_size = all.comparator()->timestamp_size();
    const auto user_key = [&](const std::string& internal_key) {
      return WithoutTimestamp(UserKeyOf(internal_key), timestamp_size)
          .ToString();
    };
    in_range_ =
        std::make_unique<TableVersion>(all.levels.size(), all.comparator());
    for (size_t level = 0; level < all.levels.size(); ++level) {
      for (const auto& file : all.levels[level]) {
        const std::string first = user_key(file->range().smallest);
        const std::string last = user_key(file->range().largest);
        if (range.MayMeet(&first, last, *all.comparator())) {
          in_range_->levels[level].push_back(file);
        }
      }
    }
    return OpenedTables::Open(*in_range_, state_->tables.get());
  });
}

std::vector<uint64_t> Database::TableNumbers() const {
  std::vector<uint64_t> numbers;
  numbers.reserve(state_->by_number.size());
  for (const auto& [number, table] : state_->by_number) {
    numbers.push_back(number);
  }
  return numbers;
}

Status Database::Choose(State* state) {
  std::string names;
  for (const ColumnFamilyFiles& family : state->files.column_families) {
    if (family.name == FLAGS_cf) {
      state->family = &family;
      return {};
    }
    names += (names.empty() ? "" : ", ") + PrintableText(family.name);
  }
  return Status::InvalidArgument("no column family is named '" +
                                 PrintableText(FLAGS_cf) + "': it has " +
                                 names);
}

Status Database::MakeVersion(State* state) const {
  const ColumnFamilyFiles& family = *state->family;
  const Comparator* const comparator = FindBuiltinComparator(family.comparator);
  if (comparator == nullptr) {
    return Status::NotSupported("its comparator " +
                                PrintableText(family.comparator) +
                                " is not built in");
  }
  size_t levels = TableVersion::kDefaultLevels;
  constexpr uint32_t kMostLevels = 100;  // of RocksDB's num_levels: 7
  for (const LiveTable& table : family.tables) {
    if (table.level >= kMostLevels) {
      return Status::NotSupported("level " + std::to_string(table.level));
    }
    levels = std::max<size_t>(levels, table.level + 1);
  }
  state->version = std::make_unique<TableVersion>(levels, comparator);
  for (const LiveTable& table : family.tables) {
    state->by_number[table.number] = &table;
    state->version->levels[table.level].push_back(std::make_shared<VersionFile>(
        table.number,
        FileRange{table.smallest, table.largest, table.file_size}));
  }
  TableCacheOptions options;
  options.reader_options = ReaderOptionsFromFlags();
  options.open = [this, state](uint64_t number, TableToOpen* table) {
    return Describe(*state->by_number.at(number), table);
  };
  auto tables = TableCache::Create(options);
  if (!tables.ok()) return tables.status();
  state->tables = std::move(*tables);
  return {};
}

Result<std::string> Database::FolderOf(const LiveTable& table) const {
  const std::vector<std::string> paths = SplitList(FLAGS_db_paths, ',');
  if (table.path_id != 0 && table.path_id >= paths.size()) {
    return Status::InvalidArgument(
        TableFileName(table.number) + " is in path " +
        std::to_string(table.path_id) +
        " of the database: name all of its paths with --db_paths");
  }
  const std::string& folder = paths.empty() ? folder_ : paths[table.path_id];
  if (folder.empty()) {
    return Status::InvalidArgument("--db_paths: path " +
                                   std::to_string(table.path_id) + " is empty");
  }
  return folder;
}

Result<std::string> Database::PathOf(const LiveTable& table) const {
  if (!has_manifest())
    return folder_ + "/" + state_->folder.names.at(table.number);
  auto folder = FolderOf(table);
  if (!folder.ok()) return folder;
  const std::string path = *folder + "/" + TableFileName(table.number);
  const std::string older = *folder + "/" + TableFileName(table.number, true);
  return !Exists(path) && Exists(older) ? older : path;
}

void Database::ForEachTable(
    Report* report,
    const std::function<void(const LiveTable& table, const std::string& path)>&
        take) {
  const std::vector<LiveTable> tables = family().tables;
  for (const LiveTable& table : tables) {
    if (report->MustStop()) return;
    const auto path = PathOf(table);
    if (!path.ok()) {
      report->AddFault(path.status());
    } else if (WasRemoved(table, *path)) {
      PrintWarning(*path +
                   ": a writer removed it while the database was read; it is "
                   "not counted");
    } else {
      take(table, *path);
    }
  }
}

// Returns whether the file is missing because the database no longer has it.
bool Database::WasRemoved(const LiveTable& table, const std::string& path) {
  return !Exists(path) && Load().ok() &&
         !state_->by_number.contains(table.number);
}

Status Database::Describe(const LiveTable& live, TableToOpen* table) const {
  const auto path = PathOf(live);
  if (!path.ok()) return path.status();
  auto file = OpenRandomAccessFile(*path);
  if (!file.ok()) return file.status();
  Status status = CheckSize(**file, live);
  table->file = std::move(*file);
  if (has_manifest() && live.largest_seqno != kMaxSequenceNumber) {
    table->options.largest_seqno = live.largest_seqno;
  }
  return status;
}

std::vector<UnreadLogs> Database::CountUnreadLogs() const {
  const uint64_t first =
      std::max(family().log_number, files().min_log_number_to_keep);
  std::vector<UnreadLogs> all;
  all.push_back({folder_, CountWriteAheadLogs(folder_, first)});
  const auto elsewhere = FindLogFolder(folder_);
  if (!elsewhere.ok()) {
    all.push_back({"wal_dir", elsewhere.status()});
  } else if (elsewhere->has_value()) {
    auto count = CountWriteAheadLogs(**elsewhere, first);
    if (!count.ok()) {
      count = count.status().WithPrefix("wal_dir of its OPTIONS file");
    }
    all.push_back({**elsewhere, std::move(count)});
  }
  return all;
}

void Database::WarnOfMissingManifest() const {
  PrintWarning(folder_ +
               ": no CURRENT names a MANIFEST: its tables count as one level, "
               "and of each key the entry with the largest sequence number as "
               "the newest");
  if (state_->folder.unnumbered != 0) {
    PrintWarning(folder_ +
                 ": tables for ingestion, whose entries have sequence number 0 "
                 "and count as the oldest: " +
                 std::to_string(state_->folder.unnumbered));
  }
  if (state_->folder.idle_range_deletions != 0) {
    PrintWarning(folder_ +
                 ": range deletions with sequence number 0, which delete "
                 "nothing: " +
                 std::to_string(state_->folder.idle_range_deletions));
  }
  if (state_->folder.unnamed != 0) {
    PrintWarning(folder_ +
                 ": tables that name no column family, and count for each with "
                 "their comparator: " +
                 std::to_string(state_->folder.unnamed));
  }
}

void Database::WarnOfTheRest() const {
  if (!has_manifest()) WarnOfMissingManifest();
  for (const UnreadLogs& logs : CountUnreadLogs()) {
    const std::string place = PrintableText(logs.folder);
    if (!logs.count.ok()) {
      PrintWarning(folder_ + ": its write-ahead logs in " + place +
                   " were not counted: " + logs.count.status().ToString());
    } else if (*logs.count != 0) {
      PrintWarning(folder_ + ": write-ahead logs in " + place +
                   " that are not read, and may have newer entries: " +
                   std::to_string(*logs.count));
    }
  }
  if (files().ignored_bytes != 0) {
    PrintWarning(folder_ + "/" + files().manifest + ": " +
                 std::to_string(files().ignored_bytes) +
                 " bytes at its end were not written whole, and are ignored");
  }
}

}  // namespace ashlar::tool
