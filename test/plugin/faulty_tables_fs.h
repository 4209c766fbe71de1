// FaultyTablesFs: a file system of RocksDB's in which one operation on a table
// file fails, chosen by its number.
//
// Used by faulty_databases_test. It counts the operations, and lets RocksDB's
// FaultInjectionTestFS, which is below it, fail the chosen one. That one also
// forgets at a simulated crash what was not synced.
//
// Thread-safe: RocksDB's background threads use it.
#ifndef ASHLAR_TEST_PLUGIN_FAULTY_TABLES_FS_H_
#define ASHLAR_TEST_PLUGIN_FAULTY_TABLES_FS_H_

#include <rocksdb/file_system.h>
#include <rocksdb/system_clock.h>
#include <utilities/fault_injection_fs.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace ashlar::testing {

enum class TableOperation : uint8_t {
  kCreate,
  kAppend,
  kFlush,
  kSync,
  kClose,
  kOpen,
  kGetSize,
  kRead,  // of one or more blocks: RocksDB and Ashlar batch in other ways
};

// Which operation fails, and how.
struct TableFault {
  uint64_t number = 1;  // of the operation, counted from Plan on
  rocksdb::IOStatus error;
  // Whether all operations on all files fail after that, until Heal.
  bool lasts = false;
};

// RocksDB's background threads sleep for a second after an error. With this
// clock they do not.
class SleeplessClock final : public rocksdb::SystemClockWrapper {
 public:
  using SystemClockWrapper::SystemClockWrapper;
  const char* Name() const override { return "SleeplessClock"; }
  void SleepForMicroseconds(int /*micros*/) override {}
};

class FaultyTablesFs final : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultyTablesFs(std::shared_ptr<rocksdb::FaultInjectionTestFS> faults)
      : FileSystemWrapper(faults), faults_(std::move(faults)) {}
  const char* Name() const override { return "FaultyTablesFs"; }

  void Plan(const TableFault& fault);
  // Returns the operation that failed. Null: the planned one was not reached.
  std::optional<TableOperation> failed() const;
  // Ends all faults.
  void Heal();
  // As when the machine stops: files lose what was not synced. Requires: a
  // fault that lasts has been reached, and all files are closed.
  void LoseUnsynced();

  rocksdb::IOStatus NewWritableFile(
      const std::string& name, const rocksdb::FileOptions& options,
      std::unique_ptr<rocksdb::FSWritableFile>* file,
      rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus NewRandomAccessFile(
      const std::string& name, const rocksdb::FileOptions& options,
      std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
      rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus GetFileSize(const std::string& name,
                                const rocksdb::IOOptions& options,
                                uint64_t* size,
                                rocksdb::IODebugContext* context) override;

  // Does an operation on a table file, which fails if it is the planned one.
  template <typename Call>
  rocksdb::IOStatus Do(TableOperation operation, const Call& call) {
    const bool is_single_fault = Begin(operation);
    rocksdb::IOStatus status = call();
    if (is_single_fault) faults_->SetFilesystemActive(true);
    return status;
  }

 private:
  // Counts an operation. If it is the planned one, makes all operations fail,
  // and returns whether that ends with this one.
  bool Begin(TableOperation operation);

  const std::shared_ptr<rocksdb::FaultInjectionTestFS> faults_;
  mutable std::mutex mutex_;
  bool is_planned_ = false;
  TableFault fault_;
  uint64_t operations_ = 0;
  std::optional<TableOperation> failed_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_PLUGIN_FAULTY_TABLES_FS_H_
