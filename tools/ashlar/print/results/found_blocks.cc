// The printers of what was found without the index.
#include <algorithm>
#include <string>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {

void PrintText(const FoundBlocks& found, Output* out) {
  const TableInspection& inspection = found.inspection;
  if (!inspection.looked_for_blocks || FLAGS_quiet) return;
  out->Append("found without the index: " +
              std::to_string(inspection.found_blocks) + " data blocks\n");
  const std::vector<FileBytes>& lost = inspection.lost_bytes;
  const size_t shown = FLAGS_max_errors == 0
                           ? lost.size()
                           : std::min<size_t>(lost.size(), FLAGS_max_errors);
  for (size_t i = 0; i < shown; ++i) {
    out->Append("no block: " + std::to_string(lost[i].size) +
                " bytes at offset " + std::to_string(lost[i].offset) + "\n");
  }
  if (shown == lost.size()) return;
  uint64_t rest = 0;
  for (size_t i = shown; i < lost.size(); ++i) rest += lost[i].size;
  out->Append("no block: " + std::to_string(rest) + " bytes in " +
              std::to_string(lost.size() - shown) +
              " more places (--max_errors)\n");
}

void WriteJson(const FoundBlocks& found, JsonWriter* json) {
  const TableInspection& inspection = found.inspection;
  if (!inspection.looked_for_blocks) return;
  json->NumberMember("blocks_found", inspection.found_blocks);
  json->ObjectsMember("lost_bytes", inspection.lost_bytes,
                      [&](const FileBytes& bytes) {
                        json->NumberMember("offset", bytes.offset);
                        json->NumberMember("size", bytes.size);
                      });
}

}  // namespace ashlar::tool
