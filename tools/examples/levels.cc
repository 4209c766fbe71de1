// Looks up a batch of keys in two levels of tables, as a storage engine does:
//   levels

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/multi_table_get.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"

namespace {

using ashlar::Slice;
using ashlar::Status;
using ashlar::ValueType;

// An engine's manifest records the keys of a table.
struct Table {
  std::unique_ptr<ashlar::TableReader> reader;
  std::string smallest;
  std::string largest;

  ashlar::TableRange range() const { return {reader.get(), smallest, largest}; }
};

struct Write {
  std::string key;
  ashlar::SequenceNumber sequence;
  ValueType type;
  std::string value;
};

// Makes a table in memory. Requires: the keys ascend.
ashlar::Result<Table> MakeTable(const std::string& name,
                                const std::vector<Write>& writes) {
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
  auto reader =
      ashlar::TableReader::Open(ashlar::NewMemoryFile(name, std::move(bytes)));
  if (!reader.ok()) return reader.status();
  return Table{std::move(reader).value(), writes.front().key,
               writes.back().key};
}

int Fail(const Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

}  // namespace

int main() {
  constexpr auto kPut = ValueType::kTypeValue;
  constexpr auto kMerge = ValueType::kTypeMerge;
  constexpr auto kDelete = ValueType::kTypeDeletion;
  auto newest = MakeTable("000009.sst", {{"apple", 91, kPut, "red"},
                                         {"cherry", 92, kDelete, ""},
                                         {"pears", 93, kMerge, "+2"}});
  auto newer = MakeTable("000008.sst", {{"apple", 81, kPut, "green"},
                                        {"damson", 82, kPut, "blue"},
                                        {"pears", 83, kMerge, "+3"}});
  auto low = MakeTable("000005.sst", {{"cherry", 11, kPut, "black"},
                                      {"fig", 12, kPut, "brown"}});
  auto high = MakeTable(
      "000006.sst", {{"lemon", 13, kPut, "yellow"}, {"pears", 14, kPut, "1"}});
  for (const auto* table : {&newest, &newer, &low, &high}) {
    if (!table->ok()) return Fail(table->status());
  }
  // Tables of level 0 overlap: the newest comes first. Those of level 1 do not.
  const ashlar::TableRange level0[] = {newest->range(), newer->range()};
  const ashlar::TableRange level1[] = {low->range(), high->range()};
  const ashlar::TableLevel levels[] = {{level0}, {level1, /*sorted=*/true}};

  const std::vector<Slice> keys = {"apple", "cherry", "damson", "fig",
                                   "grape", "lemon",  "pears"};
  std::vector<ashlar::GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  std::vector<std::string> operands(keys.size());
  ashlar::MultiGetFromTables(
      {}, levels, keys, ashlar::kMaxSequenceNumber, results, statuses,
      [&](size_t key, const Slice& operand, ashlar::SequenceNumber) {
        operands[key] += " " + operand.ToString();
        return true;
      });
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!statuses[i].ok()) return Fail(statuses[i]);
    const bool found = results[i].state == ashlar::GetResult::State::kFound;
    std::printf("%s: %s%s\n", keys[i].ToString().c_str(),
                found ? results[i].value.ToString().c_str() : "not there",
                operands[i].c_str());
  }
  return 0;
}
