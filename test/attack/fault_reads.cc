// Scenarios that read tables in every way, dump and load caches, and read the
// files of databases.
#include <array>
#include <utility>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/cache_dump.h"
#include "ashlar/table/database_files.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/multi_table_get.h"
#include "ashlar/table/table_cache.h"
#include "ashlar/table/user_iterator.h"
#include "ashlar/util/worker_pool.h"
#include "test/attack/fault_scenarios.h"
#include "test/support/folder.h"
#include "test/support/tables.h"

namespace ashlar::testing {

namespace {

constexpr int kKeys = 60;

std::string KeyOf(int i) { return "key" + std::to_string(100 + i); }

// Key i has a value if i is even. The rest is absent.
void PutTable(const TableOptions& options, const std::string& path,
              SequenceNumber sequence) {
  std::vector<Entry> entries;
  for (int i = 0; i < kKeys; i += 2) {
    entries.push_back(Value(KeyOf(i), sequence + i, "a value of " + KeyOf(i)));
  }
  entries.push_back(RangeDeleted(KeyOf(10), sequence + 1, KeyOf(13)));
  WriteFile(path, BuildTable(options, entries));
}

void Add(const Slice& bytes, std::string* answer) {
  answer->append(bytes.data(), bytes.size());
  answer->push_back('\n');
}

enum class OpenedBy : uint8_t { kReads, kDirectReads, kMap };

Result<std::unique_ptr<TableReader>> OpenFile(const std::string& path,
                                              OpenedBy by,
                                              const ReaderOptions& options) {
  auto file = by == OpenedBy::kReads         ? OpenRandomAccessFile(path)
              : by == OpenedBy::kDirectReads ? OpenDirectFile(path)
                                             : OpenMappedFile(path);
  if (!file.ok()) return file.status();
  return TableReader::Open(std::move(*file), options);
}

// --- One table ---

Status Walk(const TableReader& reader, const ReadOptions& options,
            bool backward, std::string* answer) {
  Iterator it = reader.NewIterator(options);
  backward ? it.SeekToLast() : it.SeekToFirst();
  for (; it.Valid(); backward ? it.Prev() : it.Next()) {
    Add(it.key(), answer);
    Add(it.value(), answer);
  }
  return it.status();
}

Status GetSome(const TableReader& reader, std::string* answer) {
  GetResult result;
  for (int i = 0; i < kKeys; i += 7) {
    Status status = reader.Get(KeyOf(i), &result);
    if (!status.ok()) return status;
    Add(result.value.slice(), answer);
  }
  std::vector<std::string> keys;
  for (int i = 0; i < kKeys; i += 5) keys.push_back(KeyOf(i));
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  reader.MultiGet(slices, results, statuses);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!statuses[i].ok()) return statuses[i];
    Add(results[i].value.slice(), answer);
  }
  return {};
}

struct ReadingForm {
  std::string name;
  OpenedBy by = OpenedBy::kReads;
  LoadTime load = LoadTime::kAtOpen;
  bool cached = false;
  uint64_t readahead = 0;
};

Status ReadTable(const ReadingForm& form, const std::string& folder,
                 std::string* answer) {
  ReaderOptions options;
  options.load_index_and_filter = form.load;
  if (form.cached) {
    auto cache = NewLruCache({.capacity = 2000, .num_shard_bits = 0});
    if (!cache.ok()) return cache.status();
    options.block_cache = std::move(*cache);
    options.cache_index_and_filter_blocks = true;
  }
  auto opened = OpenFile(folder + "/in/t.sst", form.by, options);
  if (!opened.ok()) return opened.status();
  const TableReader& reader = **opened;
  ReadOptions read;
  read.readahead_size = form.readahead;
  Status status = Walk(reader, read, false, answer);
  if (status.ok()) status = Walk(reader, read, true, answer);
  if (status.ok()) status = GetSome(reader, answer);
  if (status.ok()) status = reader.VerifyChecksum(read);
  uint64_t entries = 0;
  if (status.ok()) status = reader.CheckEntries(read, nullptr, {}, &entries);
  *answer += std::to_string(entries);
  return status;
}

void AddReads(std::vector<FaultScenario>* scenarios) {
  const std::array<ReadingForm, 6> forms = {{
      {"read"},
      {"read late", OpenedBy::kReads, LoadTime::kAtFirstUse},
      {"read cached", OpenedBy::kReads, LoadTime::kAtFirstUse, true},
      {"read ahead", OpenedBy::kReads, LoadTime::kAtOpen, false, 500},
      {"read directly", OpenedBy::kDirectReads, LoadTime::kAtFirstUse},
      {"read mapped", OpenedBy::kMap},
  }};
  for (const ReadingForm& form : forms) {
    for (const FaultedTable& table : FaultedTables()) {
      for (const std::string system : {"", "read:short-3"}) {
        scenarios->push_back(
            {Joined({form.name, table.name, system}), system,
             [&table](const std::string& folder) {
               PutTable(table.options, folder + "/in/t.sst", 7);
             },
             [form](const std::string& folder, std::string* answer) {
               return ReadTable(form, folder, answer);
             }});
      }
    }
  }
}

// Returns the first fault that the inspection has found as the error.
Status Inspect(const std::string& folder, bool finds, bool with_pool,
               std::string* answer) {
  static WorkerPool pool(2);
  auto file = OpenRandomAccessFile(folder + "/in/t.sst");
  if (!file.ok()) return file.status();
  InspectOptions options;
  options.find_blocks = finds;
  options.readahead_size = 1000;
  if (with_pool) {
    options.worker_pool = &pool;
  } else {
    options.on_entry = [&](const BlockInfo&, const Slice& key, const Slice&) {
      Add(key, answer);
    };
  }
  TableInspection inspection;
  Status status = InspectTable(**file, options, &inspection);
  if (!status.ok()) return status.WithPrefix((*file)->name());
  *answer += std::to_string(inspection.blocks_ok);
  if (inspection.faults.empty()) return {};
  // The name of the file is the caller's to add.
  return inspection.faults.front().status.WithPrefix((*file)->name());
}

void AddInspections(std::vector<FaultScenario>* scenarios) {
  for (const FaultedTable& table : FaultedTables()) {
    for (const bool finds : {false, true}) {
      for (const bool with_pool : {false, true}) {
        scenarios->push_back(
            {Joined({"inspection", table.name, finds ? "finds blocks" : "",
                     with_pool ? "pool" : ""}),
             "",
             [&table](const std::string& folder) {
               PutTable(table.options, folder + "/in/t.sst", 7);
             },
             [finds, with_pool](const std::string& folder,
                                std::string* answer) {
               return Inspect(folder, finds, with_pool, answer);
             }});
      }
    }
  }
}

// --- Several tables ---

Status ReadTables(const TableReader& newer, const TableReader& older,
                  std::string* answer) {
  UserIterator it({}, {}, {{&newer}, {&older}});
  for (it.SeekToFirst(); it.Valid(); it.Next()) Add(it.value(), answer);
  if (!it.status().ok()) return it.status();
  for (it.SeekToLast(); it.Valid(); it.Prev()) Add(it.key(), answer);
  if (!it.status().ok()) return it.status();
  std::vector<std::string> keys;
  for (int i = 0; i < kKeys; i += 3) keys.push_back(KeyOf(i));
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  const std::string largest = KeyOf(kKeys);
  const std::vector<TableRange> first = {{&newer, "key", largest}};
  const std::vector<TableRange> second = {{&older, "key", largest}};
  const std::array<TableLevel, 2> levels = {{{first}, {second, true}}};
  MultiGetFromTables(levels, slices, results, statuses);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!statuses[i].ok()) return statuses[i];
    Add(results[i].value.slice(), answer);
  }
  return {};
}

Status ReadFromTableCache(const std::string& folder, int max_open_files,
                          std::string* answer) {
  TableCacheOptions options;
  options.max_open_files = max_open_files;
  options.table_cache_numshardbits = 0;
  options.open = [&](uint64_t number, TableToOpen* table) {
    table->path = folder + "/in/" + std::to_string(number) + ".sst";
    return Status();
  };
  auto cache = TableCache::Create(options);
  if (!cache.ok()) return cache.status();
  for (int round = 0; round < 2; ++round) {
    const auto newer = (*cache)->Find(2);
    if (!newer.ok()) return newer.status();
    const auto older = (*cache)->Find(1);
    if (!older.ok()) return older.status();
    Status status = ReadTables(**newer, **older, answer);
    if (!status.ok()) return status;
  }
  return {};
}

void AddTableCaches(std::vector<FaultScenario>* scenarios) {
  for (const FaultedTable& table : FaultedTables()) {
    for (const int max_open_files : {0, 10}) {
      scenarios->push_back(
          {Joined({"table cache", table.name,
                   max_open_files == 0 ? "opens each time" : ""}),
           "",
           [&table](const std::string& folder) {
             PutTable(table.options, folder + "/in/1.sst", 7);
             PutTable(table.options, folder + "/in/2.sst", 1000);
           },
           [max_open_files](const std::string& folder, std::string* answer) {
             return ReadFromTableCache(folder, max_open_files, answer);
           }});
    }
  }
}

// --- Dumps of caches ---

ReaderOptions InCache(const std::shared_ptr<Cache>& cache) {
  ReaderOptions options;
  options.block_cache = cache;
  options.cache_index_and_filter_blocks = true;
  return options;
}

Result<std::shared_ptr<Cache>> NewCache() {
  return NewLruCache({.capacity = size_t{1} << 20, .num_shard_bits = 0});
}

// Reads a table into a cache, and dumps that.
Status Dump(const std::string& folder, const std::string& to,
            CompressionType codec, std::string* answer) {
  auto cache = NewCache();
  if (!cache.ok()) return cache.status();
  auto table =
      OpenFile(folder + "/in/t.sst", OpenedBy::kReads, InCache(*cache));
  if (!table.ok()) return table.status();
  Status status = Walk(**table, {}, false, answer);
  if (!status.ok()) return status;
  CacheDumpOptions options;
  options.compression_type = codec;
  CacheDumpStats dumped;
  return DumpBlockCache(**cache, to, options, &dumped);
}

// Loads a dump into a cache, and reads the table from there. What is damaged in
// the dump is read from the table.
Status LoadDump(const std::string& folder, std::string* answer) {
  const std::string dump = folder + "/in/dump";
  auto cache = NewCache();
  if (!cache.ok()) return cache.status();
  CacheLoadStats loaded;
  Status status = LoadBlockCache(dump, cache->get(), {}, &loaded);
  if (!status.ok()) return status;
  auto opened =
      OpenFile(folder + "/in/t.sst", OpenedBy::kReads, InCache(*cache));
  if (!opened.ok()) return opened.status();
  const TableReader* const table = opened->get();
  status = WarmTables(dump, std::span(&table, 1), {}, &loaded);
  return status.ok() ? Walk(*table, {}, true, answer) : status;
}

// A dump has a random number of its own. What could not be cached, for lack of
// memory, is not in it.
std::string ShapeOfDump(const std::string& bytes) {
  auto cache = NewCache();
  Require(cache.status());
  CacheLoadStats loaded;
  const Status status =
      LoadBlockCache(*NewMemoryFile("dump", bytes), cache->get(), {}, &loaded);
  if (!status.ok()) return bytes;
  const bool is_whole = loaded.loaded != 0 && !loaded.cut_off &&
                        loaded.damaged == 0 && loaded.refused == 0;
  return is_whole ? "a whole dump" : "a part of a dump";
}

void AddDump(const FaultedTable& table, CompressionType codec, bool replaces,
             std::vector<FaultScenario>* scenarios) {
  const std::string of = std::string(CompressionTypeName(codec));
  scenarios->push_back(
      {Joined({"cache dump", table.name, of, replaces ? "replaces" : ""}), "",
       [&table, replaces](const std::string& folder) {
         PutTable(table.options, folder + "/in/t.sst", 7);
         if (replaces) WriteFile(folder + "/out/dump", "an old dump");
       },
       [codec](const std::string& folder, std::string* answer) {
         return Dump(folder, folder + "/out/dump", codec, answer);
       },
       false, ShapeOfDump});
  if (replaces) return;
  scenarios->push_back(
      {Joined({"load of a cache dump", table.name, of}), "",
       [&table, codec](const std::string& folder) {
         PutTable(table.options, folder + "/in/t.sst", 7);
         std::string ignored;
         Require(Dump(folder, folder + "/in/dump", codec, &ignored));
       },
       LoadDump});
}

void AddCacheDumps(std::vector<FaultScenario>* scenarios) {
  for (const FaultedTable& table : FaultedTables()) {
    for (const CompressionType codec :
         {CompressionType::kNoCompression, DefaultCompressionType()}) {
      for (const bool replaces : {false, true}) {
        AddDump(table, codec, replaces, scenarios);
      }
    }
  }
}

// --- Databases ---

Status ReadDatabase(const std::string& folder, std::string* answer) {
  const auto files = ReadDatabaseFiles(folder + "/in");
  if (!files.ok()) return files.status();
  if (files->ignored_bytes != 0) {
    // What a killed writer may leave: told, but no error.
    return Status::Corruption(folder + ": the end of the MANIFEST is ignored");
  }
  Add(files->manifest, answer);
  Add(files->db_id, answer);
  for (const ColumnFamilyFiles& family : files->column_families) {
    Add(family.name, answer);
    for (const LiveTable& table : family.tables) {
      Add(TableFileName(table.number), answer);
      Add(table.smallest, answer);
      Add(table.largest, answer);
    }
  }
  return {};
}

void AddDatabases(std::vector<FaultScenario>* scenarios) {
  for (const std::string name : {"atomic", "multi-cf", "features"}) {
    for (const std::string system : {"", "read:short-3"}) {
      scenarios->push_back(
          {Joined({"database", name, system}), system,
           [name](const std::string& folder) {
             const std::string from = GoldenPath("db/" + name + "/");
             const std::string into = folder + "/in/";
             const std::string current = ReadFile(from + "CURRENT");
             const std::string manifest = current.substr(0, current.find('\n'));
             WriteFile(into + "CURRENT", current);
             WriteFile(into + manifest, ReadFile(from + manifest));
           },
           [](const std::string& folder, std::string* answer) {
             return ReadDatabase(folder, answer);
           }});
    }
  }
}

}  // namespace

void AddReadingScenarios(std::vector<FaultScenario>* scenarios) {
  AddReads(scenarios);
  AddInspections(scenarios);
  AddTableCaches(scenarios);
  AddCacheDumps(scenarios);
  AddDatabases(scenarios);
}

}  // namespace ashlar::testing
