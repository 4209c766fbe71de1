#include "rocksdb_compaction.h"

#include <algorithm>
#include <utility>

#include "ashlar_rocksdb.h"
#include "job_options.h"
#include "library_rules.h"
#include "options_file.h"
#include "result_forms.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/comparator.h"
#include "rocksdb/db.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_partitioner.h"

namespace ashlar_rocksdb {

namespace {

using ashlar::Status;
using rocksdb::CompactionServiceOptionsOverride;

// Chooses the object that `option` names. `object` holds the application's, or
// null, and becomes the chosen one. `made` is what RocksDB's registry made of
// the name, or null. Keeps the first problem.
template <class Pointer>
void Choose(const OptionTexts& options, const char* option, const Pointer& made,
            Pointer* object, std::string* problem) {
  const std::string name = ObjectNameOf(options, option);
  if (name.empty()) {
    *object = nullptr;
    return;
  }
  if (*object != nullptr && (*object)->IsInstanceOf(name)) return;
  *object = made;
  if (made == nullptr && problem->empty()) {
    *problem = std::string(option) + " " + name;
  }
}

// RocksDB writes nothing of an empty delimiter, and reads that as a comma.
bool HidesDelimiter(const OptionTexts& options) {
  const auto found = options.find("merge_operator");
  if (found == options.end()) return false;
  const std::string name = ObjectNameOf(options, "merge_operator");
  const bool has_delimiter =
      name.starts_with("StringAppend") || name.starts_with("stringappend");
  return has_delimiter && found->second.find("delimiter=") == std::string::npos;
}

void ChooseTables(const CompactionJob& job, const ParsedOptions& parsed,
                  const std::string& table_problem,
                  CompactionServiceOptionsOverride* objects,
                  std::string* problem) {
  if (objects->table_factory == nullptr) {
    if (job.options.table_factory != "BlockBasedTable") {
      *problem = "the table factory " + job.options.table_factory;
    } else if (!table_problem.empty()) {
      *problem = "table options: " + table_problem;
    }
    objects->table_factory.reset(NewAshlarTableFactory(parsed.table));
  }
}

// Keeps the collectors that the job names, in its order. Of two with one name,
// each is used once.
void ChooseCollectors(const CompactionJob& job, const ParsedOptions& parsed,
                      CompactionServiceOptionsOverride* objects,
                      std::string* problem) {
  auto known = std::move(objects->table_properties_collector_factories);
  const auto& made = parsed.column_family.table_properties_collector_factories;
  known.insert(known.end(), made.begin(), made.end());
  objects->table_properties_collector_factories.clear();
  for (const std::string& name : ObjectNamesOf(job.options.column_family,
                                               "table_properties_collectors")) {
    const auto found =
        std::find_if(known.begin(), known.end(), [&name](const auto& factory) {
          return factory != nullptr && factory->IsInstanceOf(name);
        });
    if (found == known.end()) {
      if (problem->empty()) *problem = "table_properties_collectors " + name;
      continue;
    }
    objects->table_properties_collector_factories.push_back(std::move(*found));
    known.erase(found);
  }
}

// Sets of *objects exactly what the job names.
Status ChooseObjects(const CompactionJob& job,
                     CompactionServiceOptionsOverride* objects) {
  ParsedOptions parsed;
  std::string table_problem;
  Status status = ParseOptions(job.options, &parsed, &table_problem);
  if (!status.ok()) return status;
  const OptionTexts& family = job.options.column_family;
  const rocksdb::ColumnFamilyOptions& made = parsed.column_family;
  std::string problem;
  // A comparator that the registry does not know leaves the default in place.
  const bool is_made = made.comparator != nullptr &&
                       made.comparator->Name() == job.column_family.comparator;
  Choose(family, "comparator", is_made ? made.comparator : nullptr,
         &objects->comparator, &problem);
  Choose(family, "merge_operator",
         HidesDelimiter(family) ? nullptr : made.merge_operator,
         &objects->merge_operator, &problem);
  Choose(family, "compaction_filter", made.compaction_filter,
         &objects->compaction_filter, &problem);
  Choose(family, "compaction_filter_factory", made.compaction_filter_factory,
         &objects->compaction_filter_factory, &problem);
  Choose(family, "prefix_extractor", made.prefix_extractor,
         &objects->prefix_extractor, &problem);
  Choose(family, "sst_partitioner_factory", made.sst_partitioner_factory,
         &objects->sst_partitioner_factory, &problem);
  Choose(job.options.database, "file_checksum_gen_factory",
         parsed.database.file_checksum_gen_factory,
         &objects->file_checksum_gen_factory, &problem);
  ChooseTables(job, parsed, table_problem, objects, &problem);
  ChooseCollectors(job, parsed, objects, &problem);
  if (problem.empty()) return {};
  return Status::NotSupported("the worker does not know " + problem);
}

}  // namespace

ashlar::Status CompactByRocksDB(
    const CompactionJob& job, const std::string& folder,
    const rocksdb::CompactionServiceOptionsOverride& objects,
    std::atomic<bool>* canceled, CompactionJobResult* result) {
  CompactionServiceOptionsOverride chosen = objects;
  Status status = ChooseObjects(job, &chosen);
  if (!status.ok()) return status;
  rocksdb::OpenAndCompactOptions options;
  options.canceled = canceled;
  std::string text;
  const rocksdb::Status compacted = rocksdb::DB::OpenAndCompact(
      options, job.database.path, folder, job.rocksdb_input, &text, chosen);
  if (compacted.IsIncomplete()) {
    return Status::Incomplete(compacted.ToString());
  }
  if (!compacted.ok()) return Status::Aborted(compacted.ToString());
  return FromRocksDBResult(text, result);
}

}  // namespace ashlar_rocksdb
