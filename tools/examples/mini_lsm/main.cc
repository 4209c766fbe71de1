// Writes to a mini_lsm, reads it at a snapshot, and opens it again:
//   mini_lsm <folder>

#include <cstdio>
#include <cstdlib>

#include "ashlar/cache/cache_options.h"
#include "tools/examples/mini_lsm/db.h"

namespace {

using mini_lsm::Db;

void Must(const mini_lsm::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

// Prints what a reader sees.
void Show(const char* title, Db* db,
          ashlar::SequenceNumber snapshot = Db::kNow) {
  std::printf("%s:", title);
  auto it = db->NewIterator(snapshot);
  Must(it.status());
  ashlar::UserIterator& walk = (*it)->it;
  for (walk.SeekToFirst(); walk.Valid(); walk.Next()) {
    std::printf(" %s=%s", walk.key().ToString().c_str(),
                walk.value().ToString().c_str());
  }
  std::printf("\n");
  Must(walk.status());
}

void Run(const std::string& folder) {
  mini_lsm::Options options;
  options.merge_operator = ashlar::NewStringAppendOperator("+");
  options.block_cache = ashlar::NewHyperClockCache({}).value();
  auto db = Db::Open(folder, options);
  Must(db.status());

  mini_lsm::WriteBatch first;
  first.DeleteRange("a", "z");  // what an earlier run has left
  first.Put("apple", "green");
  first.Put("cherry", "black");
  first.Put("pears", "1");
  Must((*db)->Write(first));
  Must((*db)->Flush());
  const ashlar::SequenceNumber before = (*db)->GetSnapshot();

  mini_lsm::WriteBatch second;
  second.Put("apple", "red");
  second.DeleteRange("b", "d");
  second.Merge("pears", "2");
  Must((*db)->Write(second, /*sync=*/true));
  Must((*db)->Compact());  // keeps what the snapshot sees
  Show("before", db->get(), before);
  Show("now", db->get());
  (*db)->ReleaseSnapshot(before);

  mini_lsm::WriteBatch third;
  third.Merge("pears", "3");
  Must((*db)->Write(third));
  db->reset();
  db = Db::Open(folder, options);  // finds the last write in the log
  Must(db.status());
  Show("opened again", db->get());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mini_lsm <folder>\n");
    return 2;
  }
  Run(argv[1]);
}
