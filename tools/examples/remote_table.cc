// Reads a table over a simulated object store, and counts its requests:
//   remote_table
//
// An object of a real store would send an HTTP request for a range in Read.

#include <atomic>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/remote_file.h"

namespace {

using ashlar::Slice;
using ashlar::Status;

struct Bill {
  std::atomic<unsigned> requests{0};
  std::atomic<size_t> bytes{0};
};

class StoredObject final : public ashlar::RandomAccessFile {
 public:
  StoredObject(std::string contents, Bill* bill)
      : contents_(ashlar::NewMemoryFile("object", std::move(contents))),
        bill_(bill) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    ++bill_->requests;
    Status status = contents_->Read(offset, n, scratch, data);
    bill_->bytes += data->size();
    return status;
  }
  uint64_t Size() const override { return contents_->Size(); }
  std::string name() const override { return contents_->name(); }

 private:
  const std::unique_ptr<ashlar::RandomAccessFile> contents_;
  Bill* const bill_;
};

std::string KeyOf(int i) {
  char key[16];
  std::snprintf(key, sizeof key, "row-%06d", i);
  return key;
}

Status MakeTable(std::string* bytes) {
  const auto file = ashlar::NewMemoryWritableFile("object", bytes);
  auto builder = ashlar::TableBuilder::Create({}, {}, file.get());
  if (!builder.ok()) return builder.status();
  for (int i = 0; i < 100000; ++i) {
    Status status = (*builder)->Add(
        ashlar::MakeInternalKey(KeyOf(i), 1, ashlar::ValueType::kTypeValue),
        "value " + std::to_string(i * 7919));
    if (!status.ok()) return status;
  }
  return (*builder)->Finish();
}

class Step {
 public:
  explicit Step(Bill* bill) : bill_(bill) {}
  void Print(const char* what) {
    std::printf("%-28s %3u requests, %8zu bytes\n", what,
                bill_->requests.exchange(0), bill_->bytes.exchange(0));
  }

 private:
  Bill* const bill_;
};

Status ReadTable(const std::string& bytes) {
  Bill bill;
  Step step(&bill);
  ashlar::RemoteFileOptions remote;
  remote.threads = std::make_shared<ashlar::RequestThreads>(16);
  remote.hedge_delay_ms = 100;  // a second request after 100 ms
  auto file = ashlar::RemoteFile::Make(
      std::make_unique<StoredObject>(bytes, &bill), remote);
  if (!file.ok()) return file.status();

  ashlar::ReaderOptions options;
  options.load_index_and_filter = ashlar::LoadTime::kAtOpen;
  options.read_tail_at_once = true;
  options.coalesce_gap_bytes = 64 << 10;
  options.coalesce_max_bytes = 1 << 20;
  auto reader = ashlar::TableReader::Open(std::move(file).value(), options);
  if (!reader.ok()) return reader.status();
  step.Print("open");

  std::vector<std::string> names;
  names.reserve(32);
  for (int i = 0; i < 32; ++i) names.push_back(KeyOf(50000 + 97 * i));
  const std::vector<Slice> keys(names.begin(), names.end());
  std::vector<ashlar::GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  (*reader)->MultiGet(keys, results, statuses);
  for (const Status& status : statuses) {
    if (!status.ok()) return status;
  }
  step.Print("MultiGet of 32 keys");

  ashlar::ReadOptions scan;
  scan.readahead_size = 1 << 20;
  ashlar::Iterator it = (*reader)->NewIterator(scan);
  int rows = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) ++rows;
  if (!it.status().ok()) return it.status();
  step.Print("scan of everything");
  std::printf("%d rows\n", rows);
  return {};
}

}  // namespace

int main() {
  std::string bytes;
  Status status = MakeTable(&bytes);
  if (status.ok()) status = ReadTable(bytes);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
