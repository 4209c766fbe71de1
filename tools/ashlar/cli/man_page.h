// The manual page, ashlar(1). It is made from the same tables as --help.
#ifndef ASHLAR_TOOLS_ASHLAR_CLI_MAN_PAGE_H_
#define ASHLAR_TOOLS_ASHLAR_CLI_MAN_PAGE_H_

#include <string>

namespace ashlar::tool {

// Returns the page in roff's man macros. It is the same on each run.
std::string ManPage();

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_CLI_MAN_PAGE_H_
