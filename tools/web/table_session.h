// TableSession: answers what the page in a browser asks about one table.
//
// Questions and answers are JSON objects. A question has a member "ask", which
// is one of these words, and more members that its function below names. Each
// answer has a member "error" with the text of a Status, which is empty if all
// went well. Bytes of keys and values are shown as escaped text and as
// hexadecimal text, cut after kShownBytes. Sequence numbers are text, since
// JavaScript has no integers of 64 bits.
//
// Reads only the blocks that an answer needs, apart from `report`. One thread
// at a time.
#ifndef ASHLAR_TOOLS_WEB_TABLE_SESSION_H_
#define ASHLAR_TOOLS_WEB_TABLE_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ashlar/table/inspect.h"
#include "ashlar/table/iterator.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/page/json_value.h"
#include "tools/ashlar/print/print_json.h"

namespace ashlar::tool {

class TableSession {
 public:
  // The most bytes of a key or a value that an answer has, and the most entries
  // or blocks.
  static constexpr size_t kShownBytes = 4096;
  static constexpr uint64_t kMostRows = 1000;

  // `path` is the name of the file.
  explicit TableSession(std::string path) : path_(std::move(path)) {}

  // Answers a question. Requires: it is a JSON object.
  std::string Answer(const JsonValue& question);

 private:
  // Facts and properties as HTML, from the end of the file alone.
  Status Summary(JsonWriter* json);
  // Blocks by the index, from number "first" on, "count" of them.
  Status Layout(const JsonValue& question, JsonWriter* json);
  // A page of "count" entries: the first ones, the ones "after" or "before" an
  // internal key in hexadecimal text, or the ones "from" a user key, as Find
  // takes it.
  Status Entries(const JsonValue& question, JsonWriter* json);
  // The stored versions of the user key "key", which is escaped text, or
  // hexadecimal text if "hex" is true.
  Status Find(const JsonValue& question, JsonWriter* json);
  // The whole page of `ashlar report`, which reads all of the file.
  Status WholeReport(JsonWriter* json);

  Status Ask(const JsonValue& question, JsonWriter* json);
  Status Open();
  Status StartPage(const JsonValue& question);
  void WriteRangeDeletions(JsonWriter* json) const;

  const std::string path_;
  std::unique_ptr<TableReader> reader_;    // null until it is needed
  std::optional<Iterator> entries_;        // after the last page
  std::optional<TableInspection> listed_;  // once Layout has been asked
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_WEB_TABLE_SESSION_H_
