#include "tools/ashlar/inputs/named_keys.h"

#include <fstream>
#include <optional>
#include <utility>

#include "ashlar/util/printable.h"
#include "tools/ashlar/inputs/key_range.h"

namespace ashlar::tool {

std::string ReadNamedKeys(const CommandLine& line,
                          std::vector<std::string>* keys) {
  std::vector<std::string> texts = line.keys;
  if (!FLAGS_keys_file.empty()) {
    std::ifstream file(FLAGS_keys_file, std::ios::binary);
    std::string text;
    while (std::getline(file, text)) texts.push_back(text);
    if (!file.eof()) return "--keys_file: cannot read " + FLAGS_keys_file;
  }
  for (const std::string& text : texts) {
    std::optional<std::string> key = KeyFromFlag(text);
    if (!key) {
      return "key " + DescribeBadKey(text);
    }
    keys->push_back(std::move(*key));
  }
  return {};
}

std::string HintOfKey(const CommandLine& line) {
  if (line.inputs.size() < 2 || std::ifstream(line.inputs.back())) return {};
  return "; did you mean --key='" + PrintableText(line.inputs.back()) + "'?";
}

}  // namespace ashlar::tool
