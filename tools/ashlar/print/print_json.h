// JsonWriter: writes JSON in a stream, with constant memory.
//
// The caller must nest values correctly. The writer adds commas and quotes. For
// one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_PRINT_JSON_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_PRINT_JSON_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ashlar/util/slice.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {

// Returns whether the text is UTF-8, so that JSON can have it unchanged.
bool IsUtf8(std::string_view text);

class JsonWriter {
 public:
  // The digits of a decimal after the point.
  static constexpr int kDigits = 6;

  explicit JsonWriter(Output* out) : out_(out) {}

  void BeginObject() { Begin('{'); }
  void EndObject() { End('}'); }
  void BeginArray() { Begin('['); }
  void EndArray() { End(']'); }
  // Ends a line. What follows is a new value.
  void EndLine();

  // Begins a member. The next value is the member's.
  void Key(std::string_view name);

  // Bytes that are not UTF-8 become U+FFFD.
  void String(std::string_view text);
  // Upper-case hexadecimal.
  void Hex(const Slice& bytes);
  void Number(uint64_t number);
  void Integer(int64_t number);
  void Decimal(double number, int digits = kDigits);
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

  void DecimalMember(std::string_view name, double number,
                     int digits = kDigits) {
    Key(name);
    Decimal(number, digits);
  }
  // Writes a member that is an object. `write` writes the object's members.
  template <typename Write>
  void ObjectMember(std::string_view name, const Write& write) {
    Key(name);
    BeginObject();
    write();
    EndObject();
  }
  // Writes a member that is an array with a value for each item, which
  // write(item) writes.
  template <typename Items, typename Write>
  void ArrayMember(std::string_view name, const Items& items,
                   const Write& write) {
    Key(name);
    BeginArray();
    for (const auto& item : items) write(item);
    EndArray();
  }
  // Does the same with an object for each item: write(item) writes its members.
  template <typename Items, typename Write>
  void ObjectsMember(std::string_view name, const Items& items,
                     const Write& write) {
    ArrayMember(name, items, [&](const auto& item) {
      BeginObject();
      write(item);
      EndObject();
    });
  }

  // depth returns how many brackets are open. EndDownTo returns to such a depth
  // after work was abandoned: it closes the brackets above it, and gives a key
  // without a value null.
  size_t depth() const { return depth_; }
  void EndDownTo(size_t depth);

 private:
  // More than the depth of any document that this program writes.
  static constexpr size_t kMostDepth = 32;

  void Begin(char bracket);
  void End(char bracket);
  // A comma, unless this is the first in its bracket or follows its key.
  void Separate();
  void Quote(std::string_view text);

  Output* out_;
  bool needs_comma_ = false;
  bool has_key_ = false;  // a key was written, its value was not
  size_t depth_ = 0;
  std::array<char, kMostDepth> open_ = {};  // the closing brackets
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_PRINT_JSON_H_
