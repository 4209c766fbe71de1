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
  const std::vector<Line>& lines = batch->lines.lines;
  size_t made_bytes = 0;
  while (batch->parsed < lines.size() &&
         made_bytes + batch->room.bytes() < kMostMadeBytes) {
    const Line& line = lines[batch->parsed++];
    if (keeps_text) text.assign(line.text, line.size);
    Row& row = batch->rows.emplace_back();
    row.place = {input, line.number};
    const Outcome outcome =
        parser->Parse(line.text, line.size, &row, &batch->room, &reason);
    made_bytes += sizeof row;
    if (outcome == Outcome::kRow) continue;
    batch->rows.pop_back();
    if (outcome == Outcome::kSkip) continue;
    const bool ends_run = outcome == Outcome::kUnusable;
    made_bytes += sizeof(BadLine) + reason.size() + text.size();
    batch->bad.push_back({batch->rows.size(),
                          {input, line.number},
                          std::exchange(reason, {}),
                          text,
                          ends_run});
    if (ends_run || batch->bad.size() > most_bad) return;
  }
}

}  // namespace ashlar::tool
