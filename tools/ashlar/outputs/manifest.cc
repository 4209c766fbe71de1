#include "tools/ashlar/outputs/manifest.h"

#include <cstdio>
#include <string_view>
#include <utility>

#include "ashlar/util/version.h"
#include "third-party/json_lib.h"
#include "tools/ashlar/outputs/output_file.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {
namespace {

using nlohmann::json;

constexpr std::string_view kSchema = "ashlar/1";
// Enough for about a million tables.
constexpr size_t kMostManifestBytes = size_t{1} << 28;

// Collects the paths in a manifest while it is parsed, so that even a file of
// arbitrary contents needs little memory.
class PathTaker final : public nlohmann::json_sax<json> {
 public:
  bool is_manifest() const { return has_schema_ && has_files_; }
  std::vector<std::string>& paths() { return paths_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool string(string_t& text) override {
    if (depth_ == 1 && key_ == "schema") has_schema_ = text == kSchema;
    if (depth_ == kTableDepth && in_files_ && key_ == "path") {
      paths_.push_back(text);
    }
    return true;
  }
  bool start_object(std::size_t) override {
    ++depth_;
    return true;
  }
  bool key(string_t& name) override {
    key_ = name;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ == 1 && key_ == "files") in_files_ = has_files_ = true;
    ++depth_;
    return true;
  }
  bool end_array() override {
    if (--depth_ == 1) in_files_ = false;
    return true;
  }
  bool parse_error(std::size_t, const std::string&,
                   const json::exception&) override {
    return false;
  }

 private:
  static constexpr size_t kTableDepth = 3;  // document, "files", table

  size_t depth_ = 0;
  std::string key_;
  bool in_files_ = false;
  bool has_files_ = false;
  bool has_schema_ = false;
  std::vector<std::string> paths_;
};

// Returns the table's name, or an empty string if `path` is no table of this
// set. A manifest has replacement characters for names that are not UTF-8. Of
// such a name, only the number is compared.
std::string NameOf(const std::string& path, const SetNames& names) {
  if (IsUtf8(names.last_part())) {
    return names.IsTable(path) ? path : std::string();
  }
  const size_t dash = path.rfind('-');
  if (dash == std::string::npos) return {};
  const std::string name = names.last_part() + path.substr(dash);
  return names.IsTable(name) ? name : std::string();
}

Status TakeTables(const std::string& bytes, const SetNames& names,
                  std::set<std::string>* tables) {
  PathTaker taker;
  if (!json::sax_parse(bytes, &taker) || !taker.is_manifest()) {
    return Status::InvalidArgument(names.parent() + names.Manifest() +
                                   ": is not a manifest of this program");
  }
  for (const std::string& path : taker.paths()) {
    std::string name = NameOf(path, names);
    if (name.empty()) {
      return Status::InvalidArgument(
          names.parent() + names.Manifest() +
          ": lists a file whose name is not one of this set: " + path);
    }
    tables->insert(std::move(name));
  }
  return Status();
}

}  // namespace

void WriteTableList(std::string_view name, const std::vector<MadeTable>& tables,
                    JsonWriter* json) {
  json->ObjectsMember(name, tables, [&](const MadeTable& table) {
    json->Member("path", table.path.substr(table.path.rfind('/') + 1));
    json->HexMember("smallest", table.smallest);
    json->HexMember("largest", table.largest);
    json->BoolMember("largest_is_exclusive", table.largest_is_exclusive);
    json->NumberMember("entries", table.entries);
    json->NumberMember("bytes", table.file_bytes);
    char checksum[16];
    std::snprintf(checksum, sizeof checksum, "%08X", table.file_checksum);
    json->Member("checksum", checksum);
  });
}

Status WriteManifest(const std::vector<MadeTable>& tables,
                     const std::string& path) {
  auto file = OutputFile::Create(path, {.overwrite = false});
  if (!file.ok()) return file.status();
  Output out((*file)->file());
  JsonWriter json(&out);
  json.BeginObject();
  json.Member("schema", kSchema);
  json.Member("tool_version", LibraryVersion());
  json.Member("checksum_function", "FileChecksumCrc32c");
  WriteTableList("files", tables, &json);
  json.EndObject();
  json.EndLine();
  if (!out.Flush()) return out.file_status();
  return (*file)->Commit();
}

SetManifest ReadManifest(const OpenFolder& folder, const SetNames& names) {
  SetManifest manifest;
  const Result<std::string> bytes =
      folder.Read(names.Manifest(), kMostManifestBytes);
  if (bytes.status().IsNotFound()) return manifest;
  manifest.why =
      bytes.ok() ? TakeTables(*bytes, names, &manifest.tables) : bytes.status();
  manifest.state = manifest.why.ok() ? SetManifest::State::kRead
                                     : SetManifest::State::kUnreadable;
  if (!manifest.why.ok()) manifest.tables.clear();
  return manifest;
}

}  // namespace ashlar::tool
