// Walks over a memtable and two tables as one, as a storage engine does:
//   memtable

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ashlar/table/entry_source.h"
#include "ashlar/table/merging_iterator.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"

namespace {

using ashlar::Slice;
using ashlar::ValueType;

// The order of internal keys: user keys ascending, and newest versions first.
struct InternalOrder {
  using is_transparent = void;
  bool operator()(const Slice& a, const Slice& b) const {
    const int order = ashlar::UserKeyOf(a).compare(ashlar::UserKeyOf(b));
    return order != 0 ? order < 0 : ashlar::TailOf(a) > ashlar::TailOf(b);
  }
};
using Memtable = std::map<std::string, std::string, InternalOrder>;

// What Ashlar walks over: one function for each kind of move.
class MemtableSource final : public ashlar::EntrySource {
 public:
  explicit MemtableSource(const Memtable* memtable) : memtable_(memtable) {}

  bool SeekToFirst(Entry* entry) override {
    at_ = memtable_->begin();
    return Show(entry);
  }
  bool SeekToLast(Entry* entry) override {
    at_ = memtable_->end();
    return Prev(entry);
  }
  bool Seek(const Slice& target, Entry* entry) override {
    at_ = memtable_->lower_bound(target);
    return Show(entry);
  }
  bool Next(Entry* entry) override {
    ++at_;
    return Show(entry);
  }
  bool Prev(Entry* entry) override {
    if (at_ == memtable_->begin()) return false;
    --at_;
    return Show(entry);
  }
  // The memtable erases nothing while it is read.
  bool KeepsEntries() const override { return true; }
  std::string_view Name() const override { return "memtable"; }

 private:
  bool Show(Entry* entry) const {
    if (at_ == memtable_->end()) return false;
    *entry = {at_->first, at_->second};
    return true;
  }

  const Memtable* memtable_;
  Memtable::const_iterator at_;
};

void Put(Memtable* to, std::string_view key, ashlar::SequenceNumber sequence,
         std::string_view value) {
  (*to)[ashlar::MakeInternalKey(key, sequence, ValueType::kTypeValue)] = value;
}

// Writes a memtable to a table and opens it, as a flush does.
ashlar::Result<std::unique_ptr<ashlar::TableReader>> Flush(
    const Memtable& memtable) {
  std::string bytes;
  const auto file = ashlar::NewMemoryWritableFile("flushed.sst", &bytes);
  auto builder = ashlar::TableBuilder::Create({}, {}, file.get());
  if (!builder.ok()) return builder.status();
  ashlar::Iterator it =
      ashlar::NewSourceIterator(ashlar::BytewiseComparator(),
                                std::make_unique<MemtableSource>(&memtable));
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    ashlar::Status status = (*builder)->Add(it.key(), it.value());
    if (!status.ok()) return status;
  }
  if (!it.status().ok()) return it.status();
  ashlar::Status status = (*builder)->Finish();
  if (!status.ok()) return status;
  return ashlar::TableReader::Open(
      ashlar::NewMemoryFile("flushed.sst", std::move(bytes)));
}

ashlar::Status Run(int* shown) {
  // Three generations of writes: two were flushed, the last one is in memory.
  Memtable oldest;
  Put(&oldest, "apple", 1, "green");
  Put(&oldest, "cherry", 2, "red");
  Memtable older;
  Put(&older, "apple", 3, "yellow");
  Put(&older, "banana", 4, "yellow");
  Memtable active;
  active[ashlar::MakeInternalKey("cherry", 5, ValueType::kTypeDeletion)] = "";
  Put(&active, "damson", 6, "blue");

  auto first = Flush(oldest);
  if (!first.ok()) return first.status();
  auto second = Flush(older);
  if (!second.ok()) return second.status();

  std::vector<ashlar::Iterator> children;
  children.push_back(ashlar::NewSourceIterator(
      ashlar::BytewiseComparator(), std::make_unique<MemtableSource>(&active)));
  children.push_back((*second)->NewIterator());
  children.push_back((*first)->NewIterator());
  ashlar::MergingIterator it(ashlar::BytewiseComparator(), std::move(children));

  // Forward, as a reader sees it: the newest version of each key comes first.
  std::string last;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    const std::string key = it.user_key().ToString();
    if (key == last) continue;
    last = key;
    if (it.type() == ValueType::kTypeDeletion) continue;
    std::printf("%s is %s\n", key.c_str(), it.value().ToString().c_str());
    ++*shown;
  }
  if (!it.status().ok()) return it.status();

  // Backward: all versions, the oldest of each key first.
  for (it.SeekToLast(); it.Valid(); it.Prev()) {
    std::printf("%s from child %zu\n",
                ashlar::DescribeInternalKey(it.key()).c_str(), it.child());
    ++*shown;
  }
  return it.status();
}

}  // namespace

int main() {
  int shown = 0;
  const ashlar::Status status = Run(&shown);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  return shown == 3 + 6 ? 0 : 1;
}
