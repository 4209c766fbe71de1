// Shows a table and a memtable as a user sees them, now and at a snapshot:
//   scan

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/merge_operator.h"
#include "ashlar/table/range_deletion.h"
#include "ashlar/table/read_options.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/table/user_iterator.h"

namespace {

using ashlar::Slice;
using ashlar::Status;
using ashlar::ValueType;

struct Write {
  std::string key;
  ashlar::SequenceNumber sequence;
  ValueType type;
  std::string value;
};

// Makes a table in memory. Requires: the keys ascend.
ashlar::Result<std::unique_ptr<ashlar::TableReader>> MakeTable(
    const std::string& name, const std::vector<Write>& writes) {
  std::string bytes;
  const auto file = ashlar::NewMemoryWritableFile(name, &bytes);
  auto builder = ashlar::TableBuilder::Create({}, {}, file.get());
  if (!builder.ok()) return builder.status();
  for (const Write& write : writes) {
    Status status = (*builder)->Add(
        ashlar::MakeInternalKey(write.key, write.sequence, write.type),
        write.value);
    if (!status.ok()) return status;
  }
  Status status = (*builder)->Finish();
  if (!status.ok()) return status;
  return ashlar::TableReader::Open(
      ashlar::NewMemoryFile(name, std::move(bytes)));
}

int Fail(const Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

}  // namespace

int main() {
  constexpr auto kPut = ValueType::kTypeValue;
  constexpr auto kMerge = ValueType::kTypeMerge;
  const auto older = MakeTable("older.sst", {{"apple", 1, kPut, "green"},
                                             {"cherry", 2, kPut, "black"},
                                             {"damson", 3, kPut, "blue"},
                                             {"pears", 4, kPut, "1"}});
  const auto newer = MakeTable(
      "newer.sst", {{"apple", 11, kPut, "red"}, {"pears", 12, kMerge, "2"}});
  if (!older.ok()) return Fail(older.status());
  if (!newer.ok()) return Fail(newer.status());
  // Range deletions of a memtable, which hide entries of the tables too.
  const std::vector<ashlar::RangeDeletion> deleted = {{"b", "d", 20}};

  const auto list = ashlar::NewStringAppendOperator("+");
  ashlar::UserIteratorOptions options;
  options.merge_operator = list.get();
  for (const ashlar::SequenceNumber snapshot :
       {ashlar::SequenceNumber{10}, ashlar::kMaxSequenceNumber}) {
    ashlar::ReadOptions read_options;
    read_options.snapshot = snapshot;
    std::vector<ashlar::UserIteratorMemory> memory(1);
    memory[0].range_deletions = deleted;
    ashlar::UserIterator it(options, read_options,
                            {{newer->get()}, {older->get()}},
                            std::move(memory));
    std::printf("%s:", snapshot == 10 ? "then" : "now");
    for (it.SeekToLast(); it.Valid(); it.Prev()) {
      std::printf(" %s=%s", it.key().ToString().c_str(),
                  it.value().ToString().c_str());
    }
    std::printf("\n");
    if (!it.status().ok()) return Fail(it.status());
  }
  return 0;
}
