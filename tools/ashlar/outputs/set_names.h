// SetNames: the names that a set of tables has, and those that making it takes.
//
// For --out=some/t.sst, in the folder some/:
//
//   t-000001.sst ...   the tables
//   t-manifest.json    the manifest, which lists them
//   t.tmp.XXXXXX       the folder of a run; set_commit.h says what is in it
//   t.tmp.lock         the lock of a run that commits
//
// All names here are without the folder. Thread-safe.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_NAMES_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ashlar::tool {

class SetNames {
 public:
  // Of --out.
  explicit SetNames(const std::string& path);

  // What stands before all names: empty, or ends in '/'.
  const std::string& parent() const { return parent_; }
  // Of the numbered names: what --out has before ".sst", without its folder.
  const std::string& last_part() const { return last_part_; }

  std::string Manifest() const { return last_part_ + "-manifest.json"; }
  std::string Lock() const { return last_part_ + ".tmp.lock"; }
  // As mkdtemp takes it.
  std::string RunFolderPattern() const { return last_part_ + ".tmp.XXXXXX"; }
  bool IsRunFolder(std::string_view name) const;

  // At least six digits.
  std::string Table(uint64_t number) const;
  bool IsTable(std::string_view name) const { return !Digits(name).empty(); }
  // Of a table's name, its digits; empty for any other name.
  std::string_view Digits(std::string_view name) const;
  // Of a table's name its number; nothing for any other name, and for numbers
  // that this program gives to no table.
  std::optional<uint64_t> NumberOf(std::string_view name) const;
  static constexpr uint64_t kLargestNumber = 999'999'999'999'999'999;

 private:
  std::string parent_;
  std::string last_part_;
};

// Whether `name` is that under which AtomicFile writes the file `of`.
bool IsTemporaryName(std::string_view name, std::string_view of);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_NAMES_H_
