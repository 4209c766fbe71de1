#include "tools/bench/rocksdb_parts.h"

#include <rocksdb/file_system.h>
#include <rocksdb/table.h>

#include <algorithm>

#include "table/block_based/filter_policy_internal.h"

namespace ashlar::bench {

namespace {

class NullWritableFile final : public rocksdb::FSWritableFile {
 public:
  using rocksdb::FSWritableFile::Append;
  rocksdb::IOStatus Append(const rocksdb::Slice& data,
                           const rocksdb::IOOptions&,
                           rocksdb::IODebugContext*) override {
    size_ += data.size();
    return {};
  }
  rocksdb::IOStatus Close(const rocksdb::IOOptions&,
                          rocksdb::IODebugContext*) override {
    return {};
  }
  rocksdb::IOStatus Flush(const rocksdb::IOOptions&,
                          rocksdb::IODebugContext*) override {
    return {};
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions&,
                         rocksdb::IODebugContext*) override {
    return {};
  }
  uint64_t GetFileSize(const rocksdb::IOOptions&,
                       rocksdb::IODebugContext*) override {
    return size_;
  }

 private:
  uint64_t size_ = 0;
};

class NullFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  NullFileSystem()
      : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "NullFileSystem"; }
  rocksdb::IOStatus NewWritableFile(
      const std::string&, const rocksdb::FileOptions&,
      std::unique_ptr<rocksdb::FSWritableFile>* result,
      rocksdb::IODebugContext*) override {
    *result = std::make_unique<NullWritableFile>();
    return {};
  }
};

}  // namespace

std::unique_ptr<rocksdb::Env> NewNullEnv() {
  return rocksdb::NewCompositeEnv(std::make_shared<NullFileSystem>());
}

struct RocksDbFilter::State {
  rocksdb::BlockBasedTableOptions options;
  std::unique_ptr<rocksdb::FilterBitsBuilder> builder;
  std::unique_ptr<const char[]> payload;
  std::unique_ptr<rocksdb::FilterBitsReader> reader;
};

RocksDbFilter::RocksDbFilter(double bits_per_key, bool ribbon)
    : state_(std::make_unique<State>()) {
  state_->options.format_version = 6;
  state_->options.optimize_filters_for_memory = false;
  // -1 means the files of all levels.
  state_->options.filter_policy.reset(
      ribbon ? rocksdb::NewRibbonFilterPolicy(bits_per_key, -1)
             : rocksdb::NewBloomFilterPolicy(bits_per_key));
  const rocksdb::FilterBuildingContext context(state_->options);
  state_->builder.reset(
      state_->options.filter_policy->GetBuilderWithContext(context));
}

RocksDbFilter::~RocksDbFilter() = default;

void RocksDbFilter::AddKey(const rocksdb::Slice& key) {
  state_->builder->AddKey(key);
}

uint64_t RocksDbFilter::Finish() {
  const rocksdb::Slice payload = state_->builder->Finish(&state_->payload);
  state_->reader.reset(static_cast<const rocksdb::BuiltinFilterPolicy*>(
                           state_->options.filter_policy.get())
                           ->GetFilterBitsReader(payload));
  return payload.size();
}

uint64_t RocksDbFilter::CountMatches(rocksdb::Slice** keys, int n) const {
  constexpr int kMost = 64;
  bool matches[kMost];
  std::fill(matches, matches + n, true);
  state_->reader->MayMatch(n, keys, matches);
  return static_cast<uint64_t>(std::count(matches, matches + n, true));
}

}  // namespace ashlar::bench
