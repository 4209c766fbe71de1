#include "tools/ashlar/rows/arrow_file.h"

#include <dlfcn.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "ashlar/util/result.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {
namespace {

constexpr const char* kModuleName = "libashlar_arrow.so";
// A user whose module is elsewhere sets this.
constexpr const char* kModuleVariable = "ASHLAR_ARROW_MODULE";

// Returns the paths at which the module may be; none if the program's folder is
// unknown.
std::vector<std::string> ModulePaths() {
  const char* const chosen = std::getenv(kModuleVariable);
  if (chosen != nullptr && *chosen != '\0') return {chosen};
  std::error_code error;
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return {};
  return {program / kModuleName,
          (program / ASHLAR_MODULE_FOLDER / kModuleName).lexically_normal()};
}

// Loads the module, which stays loaded: Arrow's library has threads.
Result<AshlarArrowOpen*> LoadModule() {
  if constexpr (ASHLAR_STATIC_PROGRAM) {
    return Status::NotSupported(
        "Arrow and Parquet are read by a module, which this program cannot "
        "load, since it is linked statically; use an ashlar that is not");
  }
  std::string tried;
  for (const std::string& path : ModulePaths()) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
      tried += (tried.empty() ? "" : " and ") + path;
      continue;
    }
    void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
      return Status::NotSupported("cannot load " + path + ": " + dlerror());
    }
    auto* const open =
        reinterpret_cast<AshlarArrowOpen*>(dlsym(module, kAshlarArrowOpenName));
    if (open != nullptr) return open;
    return Status::NotSupported(path + " is of another version of ashlar");
  }
  const std::string fault =
      tried.empty() ? "which was not looked for, since the folder of the "
                      "program is unknown"
                    : "which is not at " + tried;
  return Status::NotSupported(
      "Arrow and Parquet are read by " + std::string(kModuleName) + ", " +
      fault +
      "; it is built with ashlar where CMake finds Arrow C++ (packages "
      "libarrow-dev and libparquet-dev), or with "
      "-DASHLAR_PYARROW_ROOT=<the folder pyarrow that 'pip install pyarrow' "
      "makes>; " +
      kModuleVariable + " names another path");
}

int WaitForBytes(int descriptor) { return WaitForInput(descriptor) ? 1 : 0; }

// Releases what it is given, unless it holds nothing.
template <typename Held>
void Release(Held* held) {
  if (held->release != nullptr) held->release(held);
  *held = {};
}

}  // namespace

ArrowFile::~ArrowFile() {
  Release(&batch_);
  Release(&stream_);
  Release(&schema_);
  Release(&file_);
}

Status ArrowFile::StatusOf(int error, const char* message) const {
  if (error == 0) return {};
  if (Interrupted()) return Status::Aborted("interrupted");
  std::string text =
      name_ + ": " + (message == nullptr ? "no reason" : message);
  switch (error) {
    case ENOMEM:
      return Status::MemoryLimit(text);
    case ENOSYS:
      return Status::NotSupported(text);
    case EIO:
      return Status::IOError(text);
    case ECANCELED:
      return Status::Aborted("interrupted");
    default:
      // Arrow's reason for the file form there is that of a damaged stream.
      if (name_ == "-") text += "; expected a stream of Arrow IPC, not a file";
      return Status::Corruption(text);
  }
}

Status ArrowFile::Open(const std::string& name, bool is_parquet,
                       uint64_t batch_bytes) {
  name_ = name;
  static AshlarArrowOpen* open = nullptr;
  if (open == nullptr) {
    const auto loaded = LoadModule();
    if (!loaded.ok()) return loaded.status().WithPrefix(name);
    open = *loaded;
  }
  const AshlarArrowRequest request = {name == "-" ? nullptr : name_.c_str(),
                                      is_parquet ? 1 : 0, batch_bytes,
                                      WaitForBytes};
  const int error = open(&request, &file_);
  return StatusOf(error, file_.release == nullptr
                             ? "no memory"
                             : file_.get_last_error(&file_));
}

Status ArrowFile::ReadSchema() {
  const int error = file_.get_schema(&file_, &schema_);
  return StatusOf(error, file_.get_last_error(&file_));
}

Status ArrowFile::Begin(const std::vector<int>& columns) {
  const int error = file_.get_stream(
      &file_, columns.data(), static_cast<int64_t>(columns.size()), &stream_);
  return StatusOf(error, file_.get_last_error(&file_));
}

Status ArrowFile::NextBatch(const ArrowArray** batch) {
  Release(&batch_);
  *batch = nullptr;
  const int error = stream_.get_next(&stream_, &batch_);
  if (error != 0) return StatusOf(error, stream_.get_last_error(&stream_));
  if (batch_.release != nullptr) *batch = &batch_;
  return {};
}

uint64_t ArrowFile::position() const {
  return file_.release == nullptr ? 0 : file_.get_position(&file_);
}

uint64_t ArrowFile::size() const {
  return file_.release == nullptr ? 0 : file_.get_size(&file_);
}

}  // namespace ashlar::tool
