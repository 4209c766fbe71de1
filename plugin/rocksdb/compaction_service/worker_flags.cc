#include "worker_flags.h"

#include <charconv>
#include <string_view>
#include <system_error>
#include <variant>

namespace ashlar_rocksdb {

namespace {

// Each flag and what it sets. A flag with a bool takes no value.
struct Flag {
  std::string_view name;
  std::variant<std::string WorkerFlags::*,
               std::vector<std::string> WorkerFlags::*, uint64_t WorkerFlags::*,
               bool WorkerFlags::*>
      member;
};

constexpr Flag kFlags[] = {
    {"--folder", &WorkerFlags::folder},
    {"--queue", &WorkerFlags::queue},
    {"--name", &WorkerFlags::name},
    {"--under", &WorkerFlags::under},
    {"--lease", &WorkerFlags::lease},
    {"--attempts", &WorkerFlags::attempts},
    {"--threads", &WorkerFlags::threads},
    {"--exit-when-idle", &WorkerFlags::idle_exit},
    {"--no-library", &WorkerFlags::no_library},
    {"--no-rocksdb", &WorkerFlags::no_rocksdb},
    {"--quiet", &WorkerFlags::quiet},
    {"--help", &WorkerFlags::help},
};

constexpr uint64_t kMostThreads = 256;
// Keeps milliseconds within 64 bits.
constexpr uint64_t kMostSeconds = 1'000'000'000;

// Stores a value into the member that a flag sets. Returns what is wrong.
struct Setter {
  WorkerFlags* flags;
  std::string_view value;
  bool has_value;

  const char* operator()(std::string WorkerFlags::*member) const {
    if (value.empty()) return "needs a value";
    flags->*member = value;
    return nullptr;
  }
  const char* operator()(std::vector<std::string> WorkerFlags::*member) const {
    if (value.empty()) return "needs a value";
    (flags->*member).emplace_back(value);
    return nullptr;
  }
  const char* operator()(uint64_t WorkerFlags::*member) const {
    const char* const end = value.data() + value.size();
    const auto parsed = std::from_chars(value.data(), end, flags->*member);
    return parsed.ec == std::errc() && parsed.ptr == end ? nullptr
                                                         : "needs a number";
  }
  const char* operator()(bool WorkerFlags::*member) const {
    if (has_value) return "takes no value";
    flags->*member = true;
    return nullptr;
  }
};

std::string SetFlag(std::string_view argument, WorkerFlags* flags) {
  const size_t equals = argument.find('=');
  const bool has_value = equals != std::string_view::npos;
  const std::string_view name = argument.substr(0, equals);
  for (const Flag& flag : kFlags) {
    if (flag.name != name) continue;
    const Setter setter{
        flags, has_value ? argument.substr(equals + 1) : std::string_view(),
        has_value};
    const char* const fault = std::visit(setter, flag.member);
    return fault == nullptr ? std::string() : std::string(name) + " " + fault;
  }
  return std::string(argument) + " is no flag; see --help";
}

}  // namespace

const char kWorkerHelp[] =
    "ashlar_compaction_worker runs compactions of RocksDB databases whose\n"
    "compaction service is Ashlar's.\n"
    "\n"
    "  --folder=DIR           takes jobs from a folder\n"
    "  --queue=URL            takes jobs from a server: http://host:port/path\n"
    "  --name=NAME            the worker's name; default: host and process\n"
    "  --under=DIR            the only folder that jobs may use; may be given\n"
    "                         several times\n"
    "  --lease=SECONDS        how long a claim lasts (30). It is renewed five\n"
    "                         times as often. A server has the same setting\n"
    "  --attempts=N           of a folder: how often a job is tried (3)\n"
    "  --threads=N            how many jobs run at once (1)\n"
    "  --exit-when-idle=SECONDS  ends after so long without a job; 0: never\n"
    "  --no-library           leaves all jobs to RocksDB\n"
    "  --no-rocksdb           refuses jobs that the library does not run\n"
    "  --quiet                prints no line for each job\n"
    "\n"
    "SIGINT and SIGTERM end it after the jobs that it runs.\n";

std::string ParseWorkerFlags(const std::vector<std::string>& arguments,
                             WorkerFlags* flags) {
  *flags = WorkerFlags();
  for (const std::string& argument : arguments) {
    std::string fault = SetFlag(argument, flags);
    if (!fault.empty()) return fault;
  }
  if (flags->help) return {};
  if (flags->folder.empty() == flags->queue.empty()) {
    return "give one of --folder and --queue";
  }
  if (flags->lease == 0 || flags->lease > kMostSeconds) {
    return "--lease is out of range: 1 to 1000000000 seconds";
  }
  if (flags->idle_exit > kMostSeconds) {
    return "--exit-when-idle is out of range: 0 to 1000000000 seconds";
  }
  if (flags->attempts == 0) return "--attempts must be 1 at least";
  if (flags->threads == 0 || flags->threads > kMostThreads) {
    return "--threads is out of range: 1 to 256";
  }
  return {};
}

}  // namespace ashlar_rocksdb
