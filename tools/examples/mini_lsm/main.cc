// Writes to a mini_lsm, reads it at a snapshot, and opens it again:
//   mini_lsm <folder>

#include <cstdio>

#include "ashlar/cache/cache_options.h"
#include "tools/examples/mini_lsm/db.h"

namespace {

using mini_lsm::Db;
using mini_lsm::Status;

// Prints what a reader sees.
Status Show(const char* title, Db* db,
            ashlar::SequenceNumber snapshot = Db::kNow) {
  std::printf("%s:", title);
  auto it = db->NewIterator(snapshot);
  if (!it.ok()) return it.status();
  ashlar::UserIterator& walk = (*it)->it;
  for (walk.SeekToFirst(); walk.Valid(); walk.Next()) {
    std::printf(" %s=%s", walk.key().ToString().c_str(),
                walk.value().ToString().c_str());
  }
  std::printf("\n");
  return walk.status();
}

Status Run(const std::string& folder) {
  mini_lsm::Options options;
  options.merge_operator = ashlar::NewStringAppendOperator("+");
  auto cache = ashlar::NewHyperClockCache({});
  if (!cache.ok()) return cache.status();
  options.block_cache = std::move(cache).value();
  auto db = Db::Open(folder, options);
  if (!db.ok()) return db.status();

  mini_lsm::WriteBatch first;
  first.DeleteRange("a", "z");  // what an earlier run has left
  first.Put("apple", "green");
  first.Put("cherry", "black");
  first.Put("pears", "1");
  Status status = (*db)->Write(first);
  if (status.ok()) status = (*db)->Flush();
  if (!status.ok()) return status;
  const ashlar::SequenceNumber before = (*db)->GetSnapshot();

  mini_lsm::WriteBatch second;
  second.Put("apple", "red");
  second.DeleteRange("b", "d");
  second.Merge("pears", "2");
  status = (*db)->Write(second, /*sync=*/true);
  if (status.ok()) status = (*db)->Compact();  // keeps what the snapshot sees
  if (status.ok()) status = Show("before", db->get(), before);
  if (status.ok()) status = Show("now", db->get());
  if (!status.ok()) return status;
  (*db)->ReleaseSnapshot(before);

  mini_lsm::WriteBatch third;
  third.Merge("pears", "3");
  status = (*db)->Write(third);
  if (!status.ok()) return status;
  db->reset();
  db = Db::Open(folder, options);  // finds the last write in the log
  if (!db.ok()) return db.status();
  return Show("opened again", db->get());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mini_lsm <folder>\n");
    return 2;
  }
  const Status status = Run(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
