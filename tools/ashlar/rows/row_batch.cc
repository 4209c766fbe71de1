#include "tools/ashlar/rows/row_batch.h"

#include <utility>

namespace ashlar::tool {

void ParseLines(RowParser* parser, const std::string* input, bool keeps_text,
                uint64_t most_bad, RowBatch* batch) {
  using Outcome = RowParser::Outcome;
  batch->rows.clear();
  batch->bad.clear();
  batch->room.Clear();
  std::string text;
  std::string reason;
  for (const Line& line : batch->lines.lines) {
    if (keeps_text) text.assign(line.text, line.size);
    Row& row = batch->rows.emplace_back();
    row.place = {input, line.number};
    const Outcome outcome =
        parser->Parse(line.text, line.size, &row, &batch->room, &reason);
    if (outcome == Outcome::kRow) continue;
    batch->rows.pop_back();
    if (outcome == Outcome::kSkip) continue;
    const bool ends_run = outcome == Outcome::kUnusable;
    batch->bad.push_back({batch->rows.size(),
                          {input, line.number},
                          std::exchange(reason, {}),
                          text,
                          ends_run});
    if (ends_run || batch->bad.size() > most_bad) return;
  }
}

}  // namespace ashlar::tool
