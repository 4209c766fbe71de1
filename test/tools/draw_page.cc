// Draws the page of the first file in a document that `report --json` printed.
// Reads the document from standard input, for ashlar_report_test.py.
#include <iostream>
#include <iterator>
#include <string>

#include "tools/ashlar/page/page_render.h"

int main() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const auto document = ashlar::tool::JsonValue::Parse(text);
  const auto& files = document["files"].items();
  if (files.empty()) return 1;
  std::cout << ashlar::tool::RenderPage(files[0]);
  return std::cout.flush() ? 0 : 1;
}
