#include "json_members.h"

namespace ashlar_rocksdb {

namespace {

constexpr size_t kMostJsonBytes = size_t{16} << 20;
constexpr int kMostNesting = 16;

// Returns whether the text nests deeper than any job or result does. Checked
// before it is parsed, since each level costs the parser memory.
bool NestsTooDeep(const std::string& text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostNesting) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

ashlar::Status TextOf(const nlohmann::json& object, std::string* text) {
  try {
    *text = object.dump() + "\n";
  } catch (const nlohmann::json::exception&) {
    // The only thing that dump objects to.
    return ashlar::Status::InvalidArgument(
        "a name or an option is not UTF-8, which JSON cannot hold");
  }
  return {};
}

ashlar::Status ParseJson(const std::string& text, std::string_view what,
                         nlohmann::json* value) {
  if (text.size() > kMostJsonBytes) {
    return ashlar::Status::InvalidArgument(std::string(what) +
                                           " is larger than 16 MiB");
  }
  if (NestsTooDeep(text)) {
    return ashlar::Status::InvalidArgument(std::string(what) +
                                           " is nested too deep");
  }
  *value = nlohmann::json::parse(text, nullptr, /*throws=*/false);
  if (value->is_discarded()) {
    return ashlar::Status::InvalidArgument(std::string(what) + " is no JSON");
  }
  return {};
}

}  // namespace ashlar_rocksdb
