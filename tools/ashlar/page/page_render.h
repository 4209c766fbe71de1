// TableReport as one HTML page that needs nothing else. Pure functions.
//
// However large the table: the page stays below 2 MB, since every list in it is
// cut off somewhere.
#ifndef ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_RENDER_H_
#define ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_RENDER_H_

#include <string>
#include <string_view>

#include "tools/ashlar/page/page_data.h"

namespace ashlar::tool {

std::string RenderPage(const TableReport& table);

// Its sections, in files of their own.
std::string RenderBlockMap(const BlockMap& map);
std::string RenderBytesByKind(const TableReport& table);
std::string RenderEntryTypes(const TableReport& table);
std::string RenderKeySpace(const KeySpace& space);
std::string RenderDistributions(const TableStats& stats);
std::string RenderFilter(const TableReport& table);
std::string RenderTrials(const CodecTrials& trials);
std::string RenderProperties(const TableInspection& inspection);

// What the page is dressed in and moved by.
std::string_view PageStyle();
std::string_view PageScript();

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PAGE_PAGE_RENDER_H_
