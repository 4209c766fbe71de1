#include "python/src/multi_get.h"

#include <algorithm>
#include <exception>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace ashlar::python {

namespace {

// Keys that are looked up together. Large enough that a call costs nothing, and
// small enough that values are still in the processor's cache when they are
// copied.
constexpr size_t kKeysAtOnce = 256;

// Fewer keys for a thread than this are not worth one.
constexpr size_t kLeastKeysOfThread = 4096;
constexpr size_t kMostThreads = 8;

// Keys that are looked up together. The bytes of those that do not stay are
// copied.
class Keys {
 public:
  void Add(const Slice& key, bool stays) {
    if (stays) {
      slices_.push_back(key);
    } else {
      copies_.emplace_back(key.data(), key.size());
    }
  }
  // To be called after the last key.
  std::span<const Slice> All() {
    for (const std::string& copy : copies_) slices_.emplace_back(copy);
    return slices_;
  }

 private:
  // All of a batch are of one kind.
  std::vector<Slice> slices_;
  std::vector<std::string> copies_;
};

Status LookUp(const OpenTables& tables, std::span<const Slice> keys,
              OutputColumn* to) {
  std::vector<GetResult> results(std::min(keys.size(), kKeysAtOnce));
  std::vector<Status> statuses(results.size());
  while (!keys.empty()) {
    if (tables.watch()->Poll()) return Status::Aborted("interrupted");
    const size_t count = std::min(keys.size(), kKeysAtOnce);
    tables.MultiGet(keys.first(count), {results.data(), count},
                    {statuses.data(), count});
    for (size_t i = 0; i < count; ++i) {
      if (!statuses[i].ok()) return statuses[i];
      const std::optional<Slice> value = ValueOf(results[i], &statuses[i]);
      if (!statuses[i].ok()) return statuses[i];
      if (value) {
        to->AppendBytes(*value);
      } else {
        to->AppendNull();
      }
    }
    keys = keys.subspan(count);
  }
  return {};
}

OutputColumn MakeColumn() {
  return OutputColumn({.name = "value", .format = "Z", .is_nullable = true});
}

// A part of the keys, with a thread of its own.
struct Part {
  void Run(const OpenTables& tables) {
    try {
      status = LookUp(tables, keys, &values);
    } catch (const std::exception&) {
      status = Status::OutOfMemory();
    }
  }
  std::span<const Slice> keys;
  OutputColumn values = MakeColumn();
  Status status;
};

// The calling thread does the first part, and those for which there is no
// thread.
Status LookUpInParts(const OpenTables& tables, std::span<const Slice> keys,
                     size_t threads, OutputColumn* to) {
  const size_t count = std::min(threads, keys.size() / kLeastKeysOfThread);
  if (count < 2) return LookUp(tables, keys, to);
  std::vector<Part> parts(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = keys.size() * i / count;
    parts[i].keys = keys.subspan(begin, keys.size() * (i + 1) / count - begin);
  }
  std::vector<std::thread> started;
  started.reserve(count);
  size_t next = 1;
  try {
    for (; next < count; ++next) {
      started.emplace_back(
          [&tables, part = &parts[next]] { part->Run(tables); });
    }
  } catch (const std::system_error&) {
    // The system has no thread more.
  }
  parts[0].Run(tables);
  for (; next < count; ++next) parts[next].Run(tables);
  for (std::thread& thread : started) thread.join();
  for (Part& part : parts) {
    if (!part.status.ok()) return part.status;
    to->AppendColumn(part.values);
  }
  return {};
}

}  // namespace

std::optional<Slice> ValueOf(const GetResult& result, Status* status) {
  if (result.state != GetResult::State::kFound) return std::nullopt;
  if (result.is_blob_index) {
    *status = Status::NotSupported("the value is a reference into a blob file");
  }
  return result.value.slice();
}

Status FindAll(const OpenTables& tables, size_t threads, ArrowInput* input,
               RowMaker* rows, std::shared_ptr<OutputBatch>* found) {
  if (threads == 0) {
    threads =
        std::min<size_t>(std::thread::hardware_concurrency(), kMostThreads);
  }
  auto batch = std::make_shared<OutputBatch>();
  batch->columns.push_back(MakeColumn());
  const ArrowArray* arrays = nullptr;
  bool is_prepared = false;
  for (;;) {
    Status status = input->Next(&arrays);
    if (!status.ok()) return status;
    if (!is_prepared && input->schema() != nullptr) {
      status = rows->Prepare(*input->schema());
      if (!status.ok()) return status;
      is_prepared = true;
    }
    if (arrays == nullptr) break;
    Keys keys;
    status = rows->ForEach(*arrays, [&](const Slice& key, const Slice&) {
      keys.Add(key, rows->keys_stay());
      return Status();
    });
    if (status.ok()) {
      status = LookUpInParts(tables, keys.All(), threads, &batch->columns[0]);
    }
    if (!status.ok()) return status;
  }
  *found = std::move(batch);
  return {};
}

}  // namespace ashlar::python
