// JsonWriter: writes JSON as it comes, in constant memory.
//
// The caller keeps the nesting right; commas and quoting are done here. One
// thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_PRINT_JSON_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_PRINT_JSON_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ashlar/util/slice.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {

// Whether JSON can have these bytes as they are.
bool IsUtf8(std::string_view text);

class JsonWriter {
 public:
  explicit JsonWriter(Output* out) : out_(out) {}

  void BeginObject() { Begin('{'); }
  void EndObject() { End('}'); }
  void BeginArray() { Begin('['); }
  void EndArray() { End(']'); }
  // Ends a line; what follows is a value of its own.
  void EndLine();

  // What follows is the value of this member.
  void Key(std::string_view name);

  // Bytes that are not UTF-8 become U+FFFD.
  void String(std::string_view text);
  // Upper-case hexadecimal.
  void Hex(const Slice& bytes);
  void Number(uint64_t number);
  void Integer(int64_t number);
  void Decimal(double number);
  void Bool(bool value);

  void Member(std::string_view name, std::string_view text) {
    Key(name);
    String(text);
  }
  void NumberMember(std::string_view name, uint64_t number) {
    Key(name);
    Number(number);
  }
  void IntegerMember(std::string_view name, int64_t number) {
    Key(name);
    Integer(number);
  }
  void HexMember(std::string_view name, const Slice& bytes) {
    Key(name);
    Hex(bytes);
  }
  void BoolMember(std::string_view name, bool value) {
    Key(name);
    Bool(value);
  }

  // How many brackets are open, and a way back to where that many were, for
  // work that was given up in between: what is open is closed, and a key
  // without a value gets null.
  size_t depth() const { return depth_; }
  void EndDownTo(size_t depth);

 private:
  // Deeper than any document of ours.
  static constexpr size_t kMostDepth = 32;

  void Begin(char bracket);
  void End(char bracket);
  // A comma, unless this is the first in its bracket or follows its key.
  void Separate();
  void Quote(std::string_view text);

  Output* out_;
  bool needs_comma_ = false;
  bool has_key_ = false;  // whose value is to come
  size_t depth_ = 0;
  std::array<char, kMostDepth> open_ = {};  // the brackets that close
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_PRINT_JSON_H_
