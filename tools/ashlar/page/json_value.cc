#include "tools/ashlar/page/json_value.h"

#include <utility>

#include "third-party/json_lib.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {

// Called by the parser for each value. The last of `open_` is the array or the
// object that the next value belongs to.
class JsonValue::Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(JsonValue* root) : root_(root) {}

  bool null() override {
    Add(Kind::kNull);
    return true;
  }
  bool boolean(bool yes) override {
    Add(Kind::kBool)->number_ = yes ? 1 : 0;
    return true;
  }
  bool number_integer(number_integer_t number) override {
    JsonValue* const value = Add(Kind::kInteger);
    value->number_ = static_cast<uint64_t>(number);
    value->decimal_ = static_cast<double>(number);
    return true;
  }
  bool number_unsigned(number_unsigned_t number) override {
    JsonValue* const value = Add(Kind::kInteger);
    value->number_ = number;
    value->decimal_ = static_cast<double>(number);
    return true;
  }
  bool number_float(number_float_t number, const string_t&) override {
    Add(Kind::kDecimal)->decimal_ = number;
    return true;
  }
  bool string(string_t& text) override {
    Add(Kind::kString)->text_ = std::move(text);
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Open(Kind::kObject); }
  bool key(string_t& name) override {
    open_.back()->names_.push_back(std::move(name));
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(Kind::kArray); }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception&) override {
    return false;
  }

 private:
  JsonValue* Add(Kind kind) {
    JsonValue* const value =
        open_.empty() ? root_ : &open_.back()->items_.emplace_back();
    value->kind_ = kind;
    return value;
  }
  bool Open(Kind kind) {
    open_.push_back(Add(kind));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  JsonValue* const root_;
  std::vector<JsonValue*> open_;
};

JsonValue JsonValue::Parse(std::string_view text) {
  JsonValue value;
  Builder builder(&value);
  return nlohmann::json::sax_parse(text, &builder) ? value : JsonValue();
}

std::string JsonValue::bytes() const { return FromHex(text_).value_or(""); }

const JsonValue& JsonValue::operator[](std::string_view name) const {
  static const JsonValue kAbsent;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return items_[i];
  }
  return kAbsent;
}

}  // namespace ashlar::tool
