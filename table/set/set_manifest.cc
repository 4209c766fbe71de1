#include "table/set/set_manifest.h"

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "ashlar/util/printable.h"
#include "ashlar/util/version.h"
#include "table/set/json_reader.h"

namespace ashlar::internal {
namespace {

constexpr std::string_view kSchema = "ashlar/1";

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = Utf8CharacterBytes(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Bytes that are not UTF-8 become replacement characters.
void AppendQuoted(std::string_view text, std::string* out) {
  out->push_back('"');
  while (!text.empty()) {
    const size_t length = Utf8CharacterBytes(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length == 0) {
      out->append("\\ufffd");
    } else if (character == "\"" || character == "\\") {
      out->append("\\").append(character);
    } else if (IsControlCharacter(character)) {
      char escape[8];
      std::snprintf(
          escape, sizeof escape, "\\u%04x",
          static_cast<unsigned>(static_cast<unsigned char>(character.back())));
      out->append(escape);
    } else {
      out->append(character);
    }
    text.remove_prefix(character.size());
  }
  out->push_back('"');
}

constexpr char kHexDigits[] = "0123456789ABCDEF";

std::string ToHex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text.push_back(kHexDigits[byte >> 4]);
    text.push_back(kHexDigits[byte & 0xF]);
  }
  return text;
}

bool FromHex(std::string_view text, std::string* bytes) {
  bytes->clear();
  const std::string_view digits = kHexDigits;
  if (text.size() % 2 != 0) return false;
  for (size_t i = 0; i < text.size(); i += 2) {
    const size_t upper = digits.find(text[i]);
    const size_t lower = digits.find(text[i + 1]);
    if (upper >= 16 || lower >= 16) return false;
    bytes->push_back(static_cast<char>(upper << 4 | lower));
  }
  return true;
}

std::string ChecksumText(uint32_t checksum) {
  char text[16];
  std::snprintf(text, sizeof text, "%08X", checksum);
  return text;
}

void AppendTable(const TableSetTable& table, std::string* out) {
  out->append("{\"path\":");
  AppendQuoted(std::string_view(table.path).substr(table.path.rfind('/') + 1),
               out);
  *out += ",\"smallest\":\"" + ToHex(table.smallest) + "\",\"largest\":\"" +
          ToHex(table.largest) + "\",\"largest_is_exclusive\":" +
          (table.largest_is_exclusive ? "true" : "false") +
          ",\"entries\":" + std::to_string(table.entries) +
          ",\"bytes\":" + std::to_string(table.file_bytes) +
          ",\"checksum\":\"" + ChecksumText(table.file_checksum) + "\"}";
}

// Reads a manifest.
class Parser {
 public:
  explicit Parser(std::string_view text) : reader_(text) {}

  bool Parse(std::vector<TableSetTable>* tables) {
    bool has_schema = false;
    bool has_files = false;
    const bool ok = reader_.Object([&](const std::string& key) {
      if (key == "schema") {
        has_schema = true;
        std::string schema;
        return reader_.String(&schema) && schema == kSchema;
      }
      if (key != "files") return reader_.Skip();
      has_files = true;
      return reader_.Array([&] {
        tables->emplace_back();
        return ParseTable(&tables->back());
      });
    });
    return ok && reader_.AtEnd() && has_schema && has_files;
  }

 private:
  bool ParseTable(TableSetTable* table) {
    const bool ok = reader_.Object([&](const std::string& key) {
      if (key == "path") return reader_.String(&table->path);
      if (key == "smallest") return Bytes(&table->smallest);
      if (key == "largest") return Bytes(&table->largest);
      if (key == "largest_is_exclusive") {
        return reader_.Bool(&table->largest_is_exclusive);
      }
      if (key == "entries") return reader_.Number(&table->entries);
      if (key == "bytes") return reader_.Number(&table->file_bytes);
      if (key == "checksum") return Checksum(&table->file_checksum);
      return reader_.Skip();
    });
    return ok && !table->path.empty();
  }

  bool Bytes(std::string* bytes) {
    std::string text;
    return reader_.String(&text) && FromHex(text, bytes);
  }

  bool Checksum(uint32_t* checksum) {
    std::string bytes;
    if (!Bytes(&bytes) || bytes.size() != sizeof *checksum) return false;
    *checksum = 0;
    for (const char c : bytes) {
      *checksum = *checksum << 8 | static_cast<unsigned char>(c);
    }
    return true;
  }

  JsonReader reader_;
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
                  SetManifest* manifest) {
  if (!Parser(bytes).Parse(&manifest->listed)) {
    return Status::InvalidArgument(names.parent() + names.Manifest() +
                                   ": is not a manifest of this program");
  }
  for (TableSetTable& table : manifest->listed) {
    std::string name = NameOf(table.path, names);
    if (name.empty()) {
      return Status::InvalidArgument(
          names.parent() + names.Manifest() +
          ": lists a file whose name is not one of this set: " + table.path);
    }
    table.path = name;
    manifest->tables.insert(std::move(name));
  }
  return Status();
}

}  // namespace

std::string ManifestText(const std::vector<TableSetTable>& tables) {
  std::string text = "{\"schema\":\"" + std::string(kSchema) +
                     "\",\"tool_version\":\"" + std::string(LibraryVersion()) +
                     "\",\"checksum_function\":\"FileChecksumCrc32c\"," +
                     "\"files\":[";
  for (const TableSetTable& table : tables) {
    if (&table != tables.data()) text.push_back(',');
    AppendTable(table, &text);
  }
  return text + "]}\n";
}

SetManifest ReadManifest(const OpenFolder& folder, const SetNames& names) {
  SetManifest manifest;
  const Result<std::string> bytes =
      folder.Read(names.Manifest(), kMostManifestBytes);
  if (bytes.status().IsNotFound()) return manifest;
  manifest.why =
      bytes.ok() ? TakeTables(*bytes, names, &manifest) : bytes.status();
  manifest.state = manifest.why.ok() ? SetManifest::State::kRead
                                     : SetManifest::State::kUnreadable;
  if (!manifest.why.ok()) {
    manifest.listed.clear();
    manifest.tables.clear();
  }
  return manifest;
}

}  // namespace ashlar::internal
