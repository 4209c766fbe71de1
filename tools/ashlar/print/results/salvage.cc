// The printers of `salvage`.
#include <string>

#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

std::string Describe(const LostRange& range, bool index_has_user_keys) {
  std::string text = "lost: ";
  text += BlockKindName(range.kind);
  text += " block";
  if (range.size != 0) {
    text += " #" + std::to_string(range.index) + " offset " +
            std::to_string(range.offset) + " size " +
            std::to_string(range.size);
  }
  text += ": ";
  if (range.only_range_deletions) {
    return text + "keys that a range deletion hid may be visible again";
  }
  if (range.begin) {
    text += index_has_user_keys ? "keys above '" : "keys from '";
    text += KeyText(*range.begin) + "'";
  } else {
    text += "keys from the first one";
  }
  if (range.last) text += " up to '" + KeyText(*range.last) + "'";
  return text;
}

std::string Describe(const LostBytes& bytes) {
  std::string text = "lost: " + std::to_string(bytes.size) +
                     " bytes at offset " + std::to_string(bytes.offset);
  if (bytes.after) text += ", after key '" + KeyText(*bytes.after) + "'";
  if (bytes.before) text += ", before key '" + KeyText(*bytes.before) + "'";
  return text;
}

}  // namespace

void PrintText(const Salvaged& table, Output* out) {
  for (const LostRange& range : table.lost) {
    out->Append(Describe(range, table.index_has_user_keys) + "\n");
  }
  for (const LostBytes& bytes : table.lost_bytes) {
    out->Append(Describe(bytes) + "\n");
  }
  if (table.blocks_found != 0) {
    out->Append("found without the index: " +
                std::to_string(table.blocks_found) + " data blocks\n");
  }
  if (table.entries_left_out != 0) {
    out->Append("left out: " + std::to_string(table.entries_left_out) +
                " entries that a table cannot hold there\n");
  }
  out->Flush();
  if (table.made) PrintText(*table.made, out);
}

void WriteJson(const Salvaged& table, JsonWriter* json) {
  if (table.made) WriteJson(*table.made, json);
  json->NumberMember("entries_left_out", table.entries_left_out);
  json->ObjectsMember("lost", table.lost, [&](const LostRange& range) {
    json->Member("block", BlockKindName(range.kind));
    json->NumberMember("index", range.index);
    json->NumberMember("offset", range.offset);
    json->NumberMember("size", range.size);
    if (range.only_range_deletions) {
      json->BoolMember("only_range_deletions", true);
    }
    if (range.begin) {
      json->HexMember(table.index_has_user_keys ? "after" : "from",
                      *range.begin);
    }
    if (range.last) json->HexMember("last", *range.last);
  });
  json->NumberMember("blocks_found", table.blocks_found);
  json->ObjectsMember("lost_bytes", table.lost_bytes,
                      [&](const LostBytes& bytes) {
                        json->NumberMember("offset", bytes.offset);
                        json->NumberMember("size", bytes.size);
                        if (bytes.after) json->HexMember("after", *bytes.after);
                        if (bytes.before) {
                          json->HexMember("before", *bytes.before);
                        }
                      });
}

}  // namespace ashlar::tool
