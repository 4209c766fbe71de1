// SetNames: the names of the files of a set of tables, and of those that exist
// while it is made.
//
// For the path some/t.sst, in the folder some/:
//
//   t-000001.sst ...   the tables
//   t-manifest.json    the manifest, which lists them
//   t.tmp.XXXXXX       the run folder; run_folder.h says what is in it
//   t.tmp.lock         the lock of a run that commits
//
// All names here are without the folder, unless said otherwise. Thread-safe.
#ifndef ASHLAR_TABLE_SET_SET_NAMES_H_
#define ASHLAR_TABLE_SET_SET_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ashlar::internal {

class SetNames {
 public:
  // `path`: TableSetOptions::path.
  explicit SetNames(const std::string& path);

  // The folder of the set, as a prefix of its paths: empty, or ends in '/'.
  const std::string& parent() const { return parent_; }
  // The first part of every name: the path without its folder and ".sst".
  const std::string& last_part() const { return last_part_; }

  std::string Manifest() const { return last_part_ + "-manifest.json"; }
  std::string Lock() const { return last_part_ + ".tmp.lock"; }
  // The pattern of the run folder's name, for mkdtemp.
  std::string RunFolderPattern() const { return last_part_ + ".tmp.XXXXXX"; }
  bool IsRunFolder(std::string_view name) const;

  // Returns the name of a table. The number has at least six digits.
  std::string Table(uint64_t number) const;
  bool IsTable(std::string_view name) const { return !Digits(name).empty(); }
  // Returns the digits in a table's name. Empty if `name` is no table's name.
  std::string_view Digits(std::string_view name) const;
  // Returns the number in a table's name. Returns nothing if `name` is no
  // table's name, or if the number exceeds kLargestNumber.
  std::optional<uint64_t> NumberOf(std::string_view name) const;
  static constexpr uint64_t kLargestNumber = 999'999'999'999'999'999;

 private:
  std::string parent_;
  std::string last_part_;
};

// Returns whether AtomicFile may use `name` for the temporary file of the file
// `of`.
bool IsTemporaryName(std::string_view name, std::string_view of);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SET_SET_NAMES_H_
