// JsonValue: a parsed JSON value, from which a page is drawn.
//
// What is absent reads as null, 0, false or empty, so that any document can be
// drawn. This is not nlohmann::json: that one's destructor allocates memory, so
// a run that is out of memory would not end in an error but in std::terminate.
#ifndef ASHLAR_TOOLS_ASHLAR_PAGE_JSON_VALUE_H_
#define ASHLAR_TOOLS_ASHLAR_PAGE_JSON_VALUE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::tool {

class JsonValue {
 public:
  enum class Kind : uint8_t {
    kNull,
    kBool,
    kInteger,
    kDecimal,
    kString,
    kArray,
    kObject,
  };

  // Returns null if the text is not JSON.
  static JsonValue Parse(std::string_view text);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool yes() const { return kind_ == Kind::kBool && number_ != 0; }
  // An integer. Negative ones are cast.
  uint64_t number() const { return number_; }
  // A number of either kind.
  double decimal() const { return decimal_; }
  const std::string& text() const { return text_; }
  // Returns the bytes of a string of hexadecimal digits.
  std::string bytes() const;

  // The items of an array, or the values of an object, in their order.
  const std::vector<JsonValue>& items() const { return items_; }
  // The names of the object's members, in the order of items().
  const std::vector<std::string>& names() const { return names_; }
  const JsonValue& operator[](std::string_view name) const;

 private:
  class Builder;

  Kind kind_ = Kind::kNull;
  uint64_t number_ = 0;
  double decimal_ = 0;
  std::string text_;
  std::vector<JsonValue> items_;
  std::vector<std::string> names_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PAGE_JSON_VALUE_H_
