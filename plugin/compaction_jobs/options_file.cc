#include "options_file.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ashlar_rocksdb {

namespace {

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  const size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(first, last - first + 1);
}

// A backslash in front of '#', and of anything else that RocksDB escapes.
std::string Unescaped(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    const char c = text[++i];
    plain += c == 'n' ? '\n' : c == 'r' ? '\r' : c;
  }
  return plain;
}

// Cuts a comment: everything behind a '#' that no backslash is in front of.
std::string_view WithoutComment(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '#') {
      return line.substr(0, i);
    }
  }
  return line;
}

// The options of a section, if it is one that counts; null if it is not.
// `title` is what its brackets hold, such as: TableOptions/X "default".
OptionTexts* SectionOf(std::string_view title, const std::string& family,
                       JobOptions* options, bool* found_family) {
  if (title == "DBOptions") return &options->database;
  const size_t quote = title.find('"');
  if (quote == std::string_view::npos || !title.ends_with('"') ||
      title.size() < quote + 2) {
    return nullptr;
  }
  const std::string name =
      Unescaped(title.substr(quote + 1, title.size() - quote - 2));
  if (name != family) return nullptr;
  const std::string_view kind = Trimmed(title.substr(0, quote));
  constexpr std::string_view kTable = "TableOptions/";
  if (kind == "CFOptions") {
    *found_family = true;
    return &options->column_family;
  }
  if (!kind.starts_with(kTable)) return nullptr;
  options->table_factory = kind.substr(kTable.size());
  return &options->table;
}

std::string NameOfObject(std::string_view text) {
  text = Trimmed(text);
  if (text.starts_with('{')) {
    text.remove_prefix(1);
    if (text.ends_with('}')) text.remove_suffix(1);
    // Where the id is not the first of the object's options.
    const size_t id = text.starts_with("id=") ? 0 : text.find(";id=");
    if (id == std::string_view::npos) return std::string(text);
    text.remove_prefix(text.find('=', id) + 1);
    text = Trimmed(text.substr(0, text.find(';')));
  }
  return text == "nullptr" || text == "{}" ? std::string() : std::string(text);
}

// Returns where the first ':' is that no braces enclose, or the text's size.
size_t EndOfObject(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}') --depth;
    if (text[i] == ':' && depth == 0) return i;
  }
  return text.size();
}

}  // namespace

ashlar::Status ReadOptionsText(std::string_view text, const std::string& name,
                               const std::string& column_family,
                               JobOptions* options) {
  *options = JobOptions();
  OptionTexts* section = nullptr;
  bool found_family = false;
  size_t number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = text.find('\n');
    const std::string_view line = Trimmed(WithoutComment(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) continue;
    if (line.starts_with('[') && line.ends_with(']')) {
      section = SectionOf(line.substr(1, line.size() - 2), column_family,
                          options, &found_family);
      continue;
    }
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      return ashlar::Status::Corruption(name + ": line " +
                                        std::to_string(number) +
                                        " is neither a section nor an option");
    }
    if (section == nullptr) continue;
    (*section)[std::string(Trimmed(line.substr(0, equals)))] =
        Unescaped(Trimmed(line.substr(equals + 1)));
  }
  if (found_family) return {};
  return ashlar::Status::NotFound(name + ": no options of the column family " +
                                  column_family);
}

std::string ObjectNameOf(const OptionTexts& options,
                         const std::string& option) {
  const auto found = options.find(option);
  return found == options.end() ? std::string() : NameOfObject(found->second);
}

std::vector<std::string> ObjectNamesOf(const OptionTexts& options,
                                       const std::string& option) {
  const auto found = options.find(option);
  if (found == options.end()) return {};
  std::string_view text = Trimmed(found->second);
  // RocksDB puts a list into braces if a text of an object needs that.
  if (text.starts_with('{') && text.ends_with('}') && text.size() >= 2) {
    text = text.substr(1, text.size() - 2);
  }
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t end = EndOfObject(text);
    std::string object(Trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (object.starts_with("id=")) object.insert(0, "{").push_back('}');
    std::string name = NameOfObject(object);
    if (!name.empty()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace ashlar_rocksdb
