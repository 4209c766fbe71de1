// Renders a TableReport as one HTML page that needs no other files. Pure
// functions.
//
// The page is smaller than 2 MB for any table, since all its lists are limited.
#ifndef ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_RENDER_H_
#define ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_RENDER_H_

#include <string>
#include <string_view>

#include "tools/ashlar/page/page_data.h"

namespace ashlar::tool {

std::string RenderPage(const TableReport& table);

// The sections of the page. Each is in its own file.
std::string RenderBlockMap(const BlockMap& map);
std::string RenderBytesByKind(const TableReport& table);
std::string RenderEntryTypes(const TableReport& table);
std::string RenderKeySpace(const KeySpace& space);
std::string RenderDistributions(const TableStats& stats);
std::string RenderFilter(const TableReport& table);
std::string RenderTrials(const CodecTrials& trials);
std::string RenderProperties(const TableInspection& inspection);

// The page's style sheet and its script.
std::string_view PageStyle();
std::string_view PageScript();

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_RENDER_H_
