// get: looks up keys, many at once.
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/util/printable.h"
#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/commands/get_database.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/inputs/key_range.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/print/progress.h"

namespace ashlar::tool {
namespace {

// Looks up all keys at once: keys in the same block share it, and blocks are
// read together.
void LookUp(const TableReader& reader, std::span<const std::string> keys,
            Report* report) {
  std::vector<LookedUp> found(keys.size());
  std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  reader.MultiGet(
      ReadOptionsFromFlags(), slices, FLAGS_snapshot, results, statuses,
      [&found](size_t key, const Slice& operand, SequenceNumber sequence) {
        found[key].operands.push_back({operand.ToString(), sequence});
        return true;
      });
  for (size_t i = 0; i < keys.size() && !report->MustStop(); ++i) {
    found[i].key = keys[i];
    found[i].result = std::move(results[i]);
    ShowLookedUp(found[i], statuses[i], report);
  }
}

class Getter {
 public:
  // Reads the flags. Returns what is wrong with them, or an empty string.
  std::string Prepare(const CommandLine& line);

  void Run(const std::string& path, Report* report) const {
    if (IsDatabase(path)) return RunOnDatabase(path, report);
    const std::unique_ptr<TableReader> reader = OpenTable(path, false, report);
    if (reader == nullptr) return;
    report->BeginList("results");
    const Status status =
        keys_.empty() ? GetRange(*reader, report) : GetKeys(*reader, report);
    report->EndList();
    if (!status.ok()) report->AddFault(status);
  }

 private:
  // How many keys have their values in memory at once.
  static constexpr size_t kMostTogether = 64;

  void RunOnDatabase(const std::string& folder, Report* report) const {
    if (!keys_.empty() && range_.IsAll()) {
      return GetFromDatabase(folder, keys_, report);
    }
    report->AddFault(Status::InvalidArgument(
        folder + " is a database: name keys, without a range, or look into " +
        "its tables one by one with --each_table"));
  }

  Status GetKeys(const TableReader& reader, Report* report) const {
    std::vector<std::string> batch;
    for (const std::string& key : keys_) {
      if (!range_.Contains(key, *reader.comparator())) continue;
      batch.push_back(key);
      LookUpFullBatch(reader, &batch, report);
    }
    LookUp(reader, batch, report);
    return {};
  }

  // Looks up all keys of the range that have an entry.
  Status GetRange(const TableReader& reader, Report* report) const {
    constexpr uint64_t kEntriesBetweenLooks = 256;
    const uint64_t bytes = reader.file().Size();
    const uint64_t count = reader.properties().num_entries;
    Progress progress(report->path());
    uint64_t entries = 0;
    const Comparator& comparator = *reader.comparator();
    ReadOptions options = ReadOptionsFromFlags();
    options.ignore_range_deletions = true;
    Iterator it = reader.NewIterator(options);
    std::vector<std::string> batch;
    for (range_.SeekToStart(comparator, &it);
         it.Valid() && !range_.EndsBefore(it.user_key(), comparator) &&
         !report->MustStop();
         it.Next()) {
      if (entries++ % kEntriesBetweenLooks == 0 &&
          !progress.UpdateByEntries(entries, count, bytes)) {
        break;
      }
      const Slice key =
          WithoutTimestamp(it.user_key(), comparator.timestamp_size());
      if (!batch.empty() && key == Slice(batch.back())) continue;
      LookUpFullBatch(reader, &batch, report);
      batch.push_back(key.ToString());
    }
    LookUp(reader, batch, report);
    if (!report->MustStop()) progress.Update(bytes, bytes);
    return it.status();
  }

  // Looks up the batch if it is full. The last key stays in the batch, to
  // recognise it if it comes again.
  static void LookUpFullBatch(const TableReader& reader,
                              std::vector<std::string>* batch, Report* report) {
    if (batch->size() < kMostTogether) return;
    LookUp(reader, std::span(*batch).first(kMostTogether - 1), report);
    batch->erase(batch->begin(), batch->end() - 1);
  }

  std::vector<std::string> keys_;
  KeyRange range_;
};

// Reads the keys. Returns what is wrong with --key and --keys_file, or an empty
// string.
std::string CollectKeys(const CommandLine& line,
                        std::vector<std::string>* keys) {
  std::vector<std::string> texts = line.keys;
  if (!FLAGS_keys_file.empty()) {
    std::ifstream file(FLAGS_keys_file, std::ios::binary);
    std::string text;
    while (std::getline(file, text)) texts.push_back(text);
    if (!file.eof()) return "--keys_file: cannot read " + FLAGS_keys_file;
  }
  for (const std::string& text : texts) {
    std::optional<std::string> key = KeyFromFlag(text);
    if (!key) {
      return "key " + DescribeBadKey(text);
    }
    keys->push_back(std::move(*key));
  }
  return {};
}

// Whether the last word may be meant as a key.
std::string HintOfKey(const CommandLine& line) {
  if (line.inputs.size() < 2 || std::ifstream(line.inputs.back())) return {};
  return "; did you mean --key='" + PrintableText(line.inputs.back()) + "'?";
}

std::string Getter::Prepare(const CommandLine& line) {
  if (FLAGS_snapshot > kMaxSequenceNumber) {
    return "--snapshot: the largest sequence number is " +
           std::to_string(kMaxSequenceNumber);
  }
  std::string error = CollectKeys(line, &keys_);
  if (error.empty()) error = range_.Parse(line);
  if (!error.empty()) return error;
  if (keys_.empty() && range_.IsAll()) {
    return "get needs --key, --keys_file or a range" + HintOfKey(line);
  }
  // An empty file does not mean all keys.
  if (keys_.empty() && line.Given("keys_file")) {
    return "--keys_file: no key in " + FLAGS_keys_file;
  }
  return {};
}

}  // namespace

int RunGet(const CommandLine& line) {
  Getter getter;
  std::string error = getter.Prepare(line);
  if (error.empty()) error = CheckComparatorFlag();
  if (!error.empty()) return UsageError(error);
  return RunOverFiles(
      line, "get",
      [&getter](const std::string& path, Report* report) {
        getter.Run(path, report);
      },
      {}, FolderUse::kDatabases);
}

}  // namespace ashlar::tool
