#include "tools/ashlar/inputs/write_ahead_logs.h"

#include <dirent.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>
#include <system_error>

#include "ashlar/util/status.h"

namespace ashlar::tool {
namespace {

// Returns the number of a write-ahead log, "000123.log", or 0.
uint64_t LogNumber(std::string_view name) {
  constexpr std::string_view kSuffix = ".log";
  if (!name.ends_with(kSuffix)) return 0;
  name.remove_suffix(kSuffix.size());
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? number : 0;
}

}  // namespace

Result<uint64_t> CountWriteAheadLogs(const std::string& folder,
                                     uint64_t from_number) {
  struct Closer {
    void operator()(DIR* stream) const { closedir(stream); }
  };
  const std::unique_ptr<DIR, Closer> stream(opendir(folder.c_str()));
  if (stream == nullptr) return Status::FromErrno("open", folder, errno);
  uint64_t count = 0;
  // readdir says by errno alone that it failed.
  for (;;) {
    errno = 0;
    const dirent* const entry = readdir(stream.get());
    if (entry == nullptr) break;
    const uint64_t number = LogNumber(entry->d_name);
    struct stat attributes;
    if (number != 0 && number >= from_number &&
        stat((folder + "/" + entry->d_name).c_str(), &attributes) == 0 &&
        attributes.st_size != 0) {
      ++count;
    }
  }
  if (errno != 0) return Status::FromErrno("read", folder, errno);
  return count;
}

}  // namespace ashlar::tool
