#include "tools/ashlar/inputs/property_filter.h"

#include <memory>

#include "ashlar/util/file.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/print/properties_text.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {
namespace {

std::string CompileOne(const char* flag, const std::string& pattern,
                       std::optional<regex_t>* compiled) {
  if (pattern.empty()) return {};
  regex_t regex;
  const int error =
      regcomp(&regex, pattern.c_str(), REG_EXTENDED | REG_NOSUB | REG_NEWLINE);
  if (error != 0) {
    char reason[200];
    regerror(error, &regex, reason, sizeof reason);
    return std::string(flag) + ": " + reason;
  }
  *compiled = regex;
  return {};
}

bool Matches(const regex_t& regex, const std::string& text) {
  return regexec(&regex, text.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace

PropertyFilter::~PropertyFilter() {
  if (require_) regfree(&*require_);
  if (exclude_) regfree(&*exclude_);
}

std::string PropertyFilter::Compile() {
  std::string error = CompileOne("--require_property_regex",
                                 FLAGS_require_property_regex, &require_);
  if (!error.empty()) return error;
  return CompileOne("--exclude_property_regex", FLAGS_exclude_property_regex,
                    &exclude_);
}

bool PropertyFilter::Skips(const std::string& path) const {
  if (!require_ && !exclude_) return false;
  Result<std::unique_ptr<RandomAccessFile>> file = OpenRandomAccessFile(path);
  if (!IsOkOrThrow(file.status())) return false;
  const InspectOptions options =
      InspectOptionsFromFlags(InspectOptions::DataBlocks::kSkip);
  TableInspection inspection;
  if (!IsOkOrThrow(InspectTable(**file, options, &inspection)) ||
      !inspection.properties) {
    return false;
  }
  const std::string text = PropertiesText(inspection, ByteStyle::kRaw);
  return (require_ && !Matches(*require_, text)) ||
         (exclude_ && Matches(*exclude_, text));
}

}  // namespace ashlar::tool
