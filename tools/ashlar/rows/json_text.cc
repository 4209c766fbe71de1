#include "tools/ashlar/rows/json_text.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/util/printable.h"

namespace ashlar::tool {
namespace {

using nlohmann::json;

// A value is copied and printed by recursion, on the stack of any thread.
constexpr int kMostDepth = 1000;

// Remembers the names of the members of the objects that are open.
class MemberNames {
 public:
  // Takes an event of the parser. A parser counts depths from 0, the outermost
  // object, to which members of depth 1 belong.
  void Take(int depth, json::parse_event_t event, const json& value) {
    const auto level = static_cast<size_t>(depth);
    if (event == json::parse_event_t::object_start) {
      if (names_.size() < level + 2) names_.resize(level + 2);
      names_[level + 1].clear();
    } else if (event == json::parse_event_t::key) {
      const auto& name = value.get_ref<const std::string&>();
      if (!names_[level].insert(name).second && repeated_.empty()) {
        repeated_ = "member '" + PrintableText(name) + "' comes twice";
      }
    }
  }
  const std::string& repeated() const { return repeated_; }

 private:
  std::vector<std::set<std::string>> names_;
  std::string repeated_;
};

// Returns the sentence of the parser's message without what is known anyway.
std::string ReasonOf(const json::exception& error) {
  std::string_view text = error.what();
  // "[<name of the exception>] parse error at <place>: <reason>", or without
  // the place.
  for (const std::string_view end : {"] ", ": "}) {
    const size_t found = text.find(end);
    if (found != std::string_view::npos) text.remove_prefix(found + 2);
  }
  return PrintableText(text);
}

}  // namespace

std::optional<json> ParseJsonObject(std::string_view text,
                                    std::string* reason) {
  MemberNames names;
  int deepest = 0;
  const auto watch = [&](int depth, json::parse_event_t event, json& value) {
    names.Take(depth, event, value);
    deepest = std::max(deepest, depth);
    return true;
  };
  json object;
  // The parser gives the place of a fault only by an exception.
  try {
    object = json::parse(text.begin(), text.end(), watch);
  } catch (const json::parse_error& error) {
    *reason =
        "byte " + std::to_string(error.byte) + ": not JSON: " + ReasonOf(error);
    return std::nullopt;
  } catch (const json::exception& error) {
    // A number that is too large.
    *reason = ReasonOf(error);
    return std::nullopt;
  }
  if (deepest > kMostDepth) {
    *reason = "more than " + std::to_string(kMostDepth) +
              " arrays and objects in one another";
    return std::nullopt;
  }
  if (!object.is_object()) {
    *reason =
        "expected a JSON object, found " + std::string(object.type_name());
    return std::nullopt;
  }
  if (!names.repeated().empty()) {
    *reason = names.repeated();
    return std::nullopt;
  }
  return object;
}

}  // namespace ashlar::tool
