#include "tools/ashlar/rows/column_file_form.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace ashlar::tool {
namespace {

struct Sign {
  std::string_view text;
  const char* format;
};

constexpr Sign kFirstBytes[] = {{"ARROW1", "arrow"}, {"PAR1", "parquet"}};
// The stream form of Arrow IPC begins with no letters of its own.
constexpr Sign kEndings[] = {{".arrow", "arrow"},
                             {".arrows", "arrow"},
                             {".feather", "arrow"},
                             {".parquet", "parquet"}};

// Returns the format, or an empty text if the input is none of these.
std::string_view FormOf(const std::string& name) {
  std::error_code error;
  if (name == "-" || !std::filesystem::is_regular_file(name, error)) return {};
  std::string head(kFirstBytes[0].text.size(), '\0');
  std::ifstream file(name, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  for (const Sign& sign : kFirstBytes) {
    if (head.starts_with(sign.text)) return sign.format;
  }
  for (const Sign& sign : kEndings) {
    if (name.ends_with(sign.text)) return sign.format;
  }
  return {};
}

}  // namespace

std::string RecognizeColumnFiles(const std::vector<std::string>& inputs,
                                 std::string* format) {
  if (inputs.empty()) return {};
  const std::string_view first = FormOf(inputs[0]);
  const auto other = std::find_if(
      inputs.begin() + 1, inputs.end(),
      [&](const std::string& input) { return FormOf(input) != first; });
  if (other != inputs.end()) {
    for (const std::string& input : {inputs[0], *other}) {
      std::error_code error;
      if (input != "-" && !std::filesystem::exists(input, error) && !error) {
        return input + ": No such file or directory";
      }
    }
    const auto word = [](std::string_view form) {
      return form.empty() ? std::string("lines") : std::string(form);
    };
    return "inputs of one run have one format; " + inputs[0] + " is " +
           word(first) + ", and " + *other + " is " + word(FormOf(*other)) +
           " (--input_format says what all are)";
  }
  if (!first.empty()) *format = first;
  return {};
}

}  // namespace ashlar::tool
