// The flags of ashlar_compaction_worker.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_WORKER_FLAGS_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_WORKER_FLAGS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ashlar_rocksdb {

struct WorkerFlags {
  std::string folder;  // of the queue; one of these two is set
  std::string queue;   // its URL
  std::string name;
  std::vector<std::string> under;  // folders that jobs may use
  uint64_t lease = 30;             // seconds
  uint64_t attempts = 3;
  uint64_t threads = 1;
  uint64_t idle_exit = 0;  // seconds; 0: never
  bool no_library = false;
  bool no_rocksdb = false;
  bool quiet = false;
  bool help = false;
};

// The text of --help.
extern const char kWorkerHelp[];

// Parses the arguments behind the program's name. Returns what is wrong; empty:
// nothing.
std::string ParseWorkerFlags(const std::vector<std::string>& arguments,
                             WorkerFlags* flags);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_WORKER_FLAGS_H_
