// Renders what `report --json` prints about a file as one HTML page that needs
// no other files. Pure functions.
//
// They know the document only, so a document that was saved gives the same
// page. The page is smaller than 2 MB for any table, since the lists of the
// document and the texts that are shown are limited.
#ifndef ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_RENDER_H_
#define ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_RENDER_H_

#include <string>
#include <string_view>

#include "tools/ashlar/page/json_value.h"

namespace ashlar::tool {

// `file` is an item of the document's member "files", and one of the lines of
// --jsonl. It is about a table, or about a database.
std::string RenderPage(const JsonValue& file);

// The sections of the page. Each is in its own file.
std::string RenderBlockMap(const JsonValue& file);
std::string RenderBytesByKind(const JsonValue& file);
std::string RenderEntryTypes(const JsonValue& file);
std::string RenderKeySpace(const JsonValue& file);
std::string RenderDistributions(const JsonValue& file);
std::string RenderFilter(const JsonValue& file);
std::string RenderTrials(const JsonValue& file);
std::string RenderProperties(const JsonValue& file);
// Those that only databases have.
std::string RenderDatabaseHeader(const JsonValue& file);
std::string RenderLevels(const JsonValue& file);
std::string RenderLevelMap(const JsonValue& file);
std::string RenderLargestTables(const JsonValue& file);
std::string RenderMostDeletions(const JsonValue& file);
std::string RenderCommonProperties(const JsonValue& file);

// The facts about a table below the verdict, and the list of its faults. Both
// are also drawn of a table that was only opened (tools/web).
std::string RenderFacts(const JsonValue& file);
std::string RenderFaults(const JsonValue& file);

// Parts of headers. `style` of a verdict is ok, bad or odd. `value` is HTML.
std::string RenderVerdict(const std::string& style, const std::string& words,
                          const std::string& what_was_read,
                          const JsonValue& file);
std::string RenderFact(std::string_view name, const std::string& value);
std::string RenderBytesFact(std::string_view name, uint64_t bytes);
// Returns what the page shows for a property that has this text: times, which
// are seconds since 1970, become dates.
std::string PropertyText(const std::string& label, const std::string& text);
// Says how many of the data blocks were decoded.
std::string DescribeDecoded(const JsonValue& file);

// The page's style sheet and its script.
std::string_view PageStyle();
std::string_view PageScript();

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_RENDER_H_
