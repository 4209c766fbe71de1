// When a build has failed, no worker touches its file or its codec any more, so
// the caller may close the file at once.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "ashlar/table/properties_collector.h"
#include "ashlar/table/table_builder.h"
#include "test/support/tables.h"
#include "test/support/test_codec.h"

namespace ashlar::testing {
namespace {

// The first worker that compresses waits here until the build fails.
class Gate {
 public:
  void PassThrough() {
    // The thread that builds compresses too.
    if (std::this_thread::get_id() == builder_) return;
    std::unique_lock lock(mutex_);
    if (!has_worker_) {
      has_worker_ = true;
      // Not for ever: the ring may be full before the builder looks again.
      changed_.wait_for(lock, std::chrono::seconds(1),
                        [this] { return is_open_; });
    }
    lock.unlock();
    if (is_closed_) ++late_;
  }
  bool HasWorker() {
    const std::scoped_lock lock(mutex_);
    return has_worker_;
  }
  void Open() {
    const std::scoped_lock lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  // From now on nobody may be there.
  void Close() { is_closed_ = true; }
  int late() const { return late_; }

 private:
  const std::thread::id builder_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_worker_ = false;
  bool is_open_ = false;
  std::atomic<bool> is_closed_{false};
  std::atomic<int> late_{0};
};

// Fails at the first entry that comes when a worker is at a block.
class FailingCollector final : public TablePropertiesCollector {
 public:
  explicit FailingCollector(Gate* gate) : gate_(*gate) {}
  Status AddUserKey(const Slice&, const Slice&, ValueType, SequenceNumber,
                    uint64_t) override {
    if (!gate_.HasWorker()) return Status();
    gate_.Open();
    return Status::IOError("as the test wants it");
  }
  Status Finish(std::map<std::string, std::string>*) override { return {}; }

 private:
  Gate& gate_;
};

class FailingCollectors final : public TablePropertiesCollectorFactory {
 public:
  explicit FailingCollectors(Gate* gate) : gate_(gate) {}
  std::unique_ptr<TablePropertiesCollector> CreateTablePropertiesCollector(
      const TablePropertiesCollectorContext&) override {
    return std::make_unique<FailingCollector>(gate_);
  }
  std::string_view Name() const override { return "FailingCollectors"; }

 private:
  Gate* const gate_;
};

TEST(FailedBuild, LeavesNoWorkerAtTheFile) {
  for (int round = 0; round < 20; ++round) {
    Gate gate;
    CodecFaults wait;
    wait.compress = [&](const Slice&, char*, size_t, size_t* size) {
      gate.PassThrough();
      *size = 0;  // to be stored uncompressed
      return Status();
    };
    TableOptions options;
    options.format_version = 7;
    options.compression = CustomCompressionType(0x8A);
    options.codec = std::make_shared<const TestCodec>("TestCodec", 0x8A, wait);
    options.block_size = 100;
    BuildOptions build;
    build.workers = 2;
    build.table_properties_collector_factories.push_back(
        std::make_shared<FailingCollectors>(&gate));
    std::string bytes;
    const auto file = NewMemoryWritableFile("failed.sst", &bytes);
    auto builder = TableBuilder::Create(options, build, file.get());
    Require(builder.status());
    const std::string value(150, 'v');
    Status failed;
    for (uint64_t i = 1u << 20; failed.ok(); ++i) {
      failed = (*builder)->Add(
          MakeInternalKey("key" + std::to_string(i), 7, ValueType::kTypeValue),
          value);
    }
    gate.Close();
    EXPECT_TRUE(failed.message().ends_with("as the test wants it"))
        << failed.ToString();
    EXPECT_EQ((*builder)->status().ToString(), failed.ToString());
    EXPECT_EQ((*builder)->Add("key", 0, value).ToString(), failed.ToString());
    EXPECT_LE((*builder)->EstimatedFileSize(), bytes.size());
    EXPECT_EQ((*builder)->Finish().ToString(), failed.ToString());
    (*builder)->Abandon();
    builder->reset();
    EXPECT_EQ(gate.late(), 0);
  }
}

}  // namespace
}  // namespace ashlar::testing
