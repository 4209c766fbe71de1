// PropertyFilter: skips files, by --require_property_regex and
// --exclude_property_regex.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_PROPERTY_FILTER_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_PROPERTY_FILTER_H_

#include <regex.h>

#include <optional>
#include <string>

namespace ashlar::tool {

class PropertyFilter {
 public:
  PropertyFilter() = default;
  PropertyFilter(const PropertyFilter&) = delete;
  PropertyFilter& operator=(const PropertyFilter&) = delete;
  ~PropertyFilter();

  // Compiles the expressions. Returns what is wrong with them, or an empty
  // string.
  std::string Compile();
  // Returns whether this file is to be skipped. A file whose properties cannot
  // be read is never skipped, so that its faults are reported.
  bool Skips(const std::string& path) const;

 private:
  std::optional<regex_t> require_;
  std::optional<regex_t> exclude_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_PROPERTY_FILTER_H_
