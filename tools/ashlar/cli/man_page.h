// The manual page, ashlar(1), made of the same tables as --help.
#ifndef ASHLAR_TOOLS_ASHLAR_CLI_MAN_PAGE_H_
#define ASHLAR_TOOLS_ASHLAR_CLI_MAN_PAGE_H_

#include <string>

namespace ashlar::tool {

// In the man macros of roff; the same on each run.
std::string ManPage();

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_CLI_MAN_PAGE_H_
