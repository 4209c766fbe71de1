// get: looks up keys, many at once.
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/commands/get_database.h"
#include "tools/ashlar/commands/key_batches.h"
#include "tools/ashlar/commands/key_lookup.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/inputs/key_range.h"
#include "tools/ashlar/inputs/named_keys.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"

namespace ashlar::tool {
namespace {

// Looks up all keys at once: keys in the same block share it, and blocks are
// read together.
void LookUp(const TableReader& reader, std::span<const std::string> keys,
            Report* report) {
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<LookedUp> found(keys.size());
  std::vector<Status> statuses(keys.size());
  LookUpInTable(reader, slices, found, statuses);
  for (size_t i = 0; i < keys.size() && !report->MustStop(); ++i) {
    ShowLookedUp(found[i], statuses[i], report);
  }
}

class Getter {
 public:
  // Reads the flags. Returns what is wrong with them, or an empty string.
  std::string Prepare(const CommandLine& line);

  void Run(const std::string& path, Report* report) {
    if (IsDatabase(path, FolderUse::kOneDatabase)) {
      left_ -= GetFromDatabase(path, keys_, range_, left_, report);
      return;
    }
    const std::unique_ptr<TableReader> reader = OpenTable(path, false, report);
    if (reader == nullptr) return;
    report->BeginList("results");
    const Status status =
        keys_.empty() ? GetRange(*reader, report) : GetKeys(*reader, report);
    report->EndList();
    if (!status.ok()) report->AddFault(status);
  }

 private:
  Status GetKeys(const TableReader& reader, Report* report) {
    std::vector<std::string> batch;
    for (const std::string& key : keys_) {
      if (left_ == 0) break;
      if (!range_.Contains(key, *reader.comparator())) continue;
      --left_;
      batch.push_back(key);
      if (batch.size() < kKeysTogether) continue;
      LookUp(reader, batch, report);
      batch.clear();
    }
    LookUp(reader, batch, report);
    return {};
  }

  // Looks up all keys of the range that have an entry.
  Status GetRange(const TableReader& reader, Report* report) {
    ReadOptions options = ReadOptionsFromFlags();
    options.ignore_range_deletions = true;
    Iterator it = reader.NewIterator(options);
    left_ -= TakeKeysOfRange(
        range_, *reader.comparator(),
        {reader.properties().num_entries, reader.file().Size()}, left_, report,
        &it, [&](std::span<const std::string> keys) {
          LookUp(reader, keys, report);
        });
    return it.status();
  }

  std::vector<std::string> keys_;
  KeyRange range_;
  // How many more keys are wanted.
  uint64_t left_ = std::numeric_limits<uint64_t>::max();
};

std::string Getter::Prepare(const CommandLine& line) {
  if (FLAGS_snapshot > kMaxSequenceNumber) {
    return "--snapshot: the largest sequence number is " +
           std::to_string(kMaxSequenceNumber);
  }
  if (FLAGS_limit != 0) left_ = FLAGS_limit;
  std::string error = ReadNamedKeys(line, &keys_);
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
      {}, FolderUse::kOneDatabase);
}

}  // namespace ashlar::tool
