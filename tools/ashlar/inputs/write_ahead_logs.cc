#include "tools/ashlar/inputs/write_ahead_logs.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <functional>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "ashlar/util/status.h"

namespace ashlar::tool {
namespace {

// Returns the number in a file's name, such as "000123.log" or
// "OPTIONS-000123"; 0 if it has another form.
uint64_t NumberIn(std::string_view name, std::string_view prefix,
                  std::string_view suffix) {
  if (!name.starts_with(prefix)) return 0;
  name.remove_prefix(prefix.size());
  if (!name.ends_with(suffix)) return 0;
  name.remove_suffix(suffix.size());
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? number : 0;
}

Status ForEachName(const std::string& folder,
                   const std::function<void(const char* name)>& take) {
  struct Closer {
    void operator()(DIR* stream) const { closedir(stream); }
  };
  const std::unique_ptr<DIR, Closer> stream(opendir(folder.c_str()));
  if (stream == nullptr) return Status::FromErrno("open", folder, errno);
  // readdir says by errno alone that it failed.
  for (;;) {
    errno = 0;
    const dirent* const entry = readdir(stream.get());
    if (entry == nullptr) break;
    take(entry->d_name);
  }
  return errno == 0 ? Status() : Status::FromErrno("read", folder, errno);
}

// Returns the text of a value in an OPTIONS file: a backslash stands before a
// character that would mean something there, and ends of lines are letters.
std::string Unescaped(std::string_view text) {
  std::string value;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escaped = text[i] == '\\' && i + 1 < text.size();
    if (is_escaped) ++i;
    const char letter = text[i];
    if (is_escaped && (letter == 'r' || letter == 'n')) {
      value += letter == 'r' ? '\r' : '\n';
    } else {
      value += letter;
    }
  }
  return value;
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Returns the value of wal_dir; empty if the file does not set it.
std::string LogFolderIn(std::istream* options) {
  // Lines of an OPTIONS file are short; a file without lines is none.
  constexpr size_t kMostBytes = size_t{1} << 20;
  constexpr std::string_view kName = "wal_dir";
  std::string bytes(kMostBytes, '\0');
  options->read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  std::string_view rest(bytes.data(), static_cast<size_t>(options->gcount()));
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos &&
        Trimmed(line.substr(0, equals)) == kName) {
      return Unescaped(Trimmed(line.substr(equals + 1)));
    }
  }
  return {};
}

bool IsSameFolder(const std::string& a, const std::string& b) {
  struct stat of_a;
  struct stat of_b;
  return stat(a.c_str(), &of_a) == 0 && stat(b.c_str(), &of_b) == 0 &&
         of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

}  // namespace

Result<uint64_t> CountWriteAheadLogs(const std::string& folder,
                                     uint64_t from_number) {
  uint64_t count = 0;
  Status status = ForEachName(folder, [&](const char* name) {
    const uint64_t number = NumberIn(name, "", ".log");
    struct stat attributes;
    if (number != 0 && number >= from_number &&
        stat((folder + "/" + name).c_str(), &attributes) == 0 &&
        attributes.st_size != 0) {
      ++count;
    }
  });
  if (!status.ok()) return status;
  return count;
}

Result<std::optional<std::string>> FindLogFolder(const std::string& folder) {
  uint64_t newest = 0;
  std::string options;
  Status status = ForEachName(folder, [&](const char* name) {
    const uint64_t number = NumberIn(name, "OPTIONS-", "");
    if (number <= newest) return;
    newest = number;
    options = name;
  });
  if (!status.ok()) return status;
  if (newest == 0) return std::optional<std::string>();
  std::ifstream file(folder + "/" + options, std::ios::binary);
  if (!file) {
    return Status::FromErrno("open", folder + "/" + options, errno);
  }
  std::string logs = LogFolderIn(&file);
  if (logs.empty() || IsSameFolder(logs, folder)) {
    return std::optional<std::string>();
  }
  return std::optional<std::string>(std::move(logs));
}

}  // namespace ashlar::tool
