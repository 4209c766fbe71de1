#include "tools/ashlar/manifest.h"

#include <cstdio>

#include "tools/ashlar/output.h"
#include "util/file.h"
#include "util/version.h"

namespace ashlar::tool {

void WriteTableList(const std::vector<MadeTable>& tables, JsonWriter* json) {
  json->BeginArray();
  for (const MadeTable& table : tables) {
    json->BeginObject();
    json->Member("path", table.path.substr(table.path.rfind('/') + 1));
    json->HexMember("smallest", table.smallest);
    json->HexMember("largest", table.largest);
    json->BoolMember("largest_is_exclusive", table.largest_is_exclusive);
    json->NumberMember("entries", table.entries);
    json->NumberMember("bytes", table.file_bytes);
    char checksum[16];
    std::snprintf(checksum, sizeof checksum, "%08X", table.file_checksum);
    json->Member("checksum", checksum);
    json->EndObject();
  }
  json->EndArray();
}

Status WriteManifest(bool overwrite, const std::vector<MadeTable>& tables,
                     const std::string& path) {
  auto file = AtomicFile::Create(path, {.overwrite = overwrite});
  if (!file.ok()) return file.status();
  Output out((*file)->file());
  JsonWriter json(&out);
  json.BeginObject();
  json.Member("schema", "ashlar/1");
  json.Member("tool_version", LibraryVersion());
  json.Member("checksum_function", "FileChecksumCrc32c");
  json.Key("files");
  WriteTableList(tables, &json);
  json.EndObject();
  json.EndLine();
  if (!out.Flush()) return out.file_status();
  return (*file)->Commit();
}

}  // namespace ashlar::tool
