// JsonReader: reads a JSON text, value by value, as the caller expects them.
//
// The text may have arbitrary contents. A value that is not the expected one
// makes the call return false, and the reader is then of no more use. Nothing
// recurses deeper than kMostDepth. For one thread at a time.
#ifndef ASHLAR_TABLE_SET_JSON_READER_H_
#define ASHLAR_TABLE_SET_JSON_READER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace ashlar::internal {

class JsonReader {
 public:
  // The text must outlive this.
  explicit JsonReader(std::string_view text) : text_(text) {}

  // Calls member(key) for each member of an object. It reads the value, and
  // returns whether that went well.
  template <typename Member>
  bool Object(const Member& member) {
    if (!Take('{')) return false;
    if (Take('}')) return true;
    do {
      std::string key;
      if (!String(&key) || !Take(':') || !member(key)) return false;
    } while (Take(','));
    return Take('}');
  }
  // Calls element() for each element of an array, in the same way.
  template <typename Element>
  bool Array(const Element& element) {
    if (!Take('[')) return false;
    if (Take(']')) return true;
    do {
      if (!element()) return false;
    } while (Take(','));
    return Take(']');
  }
  // Sets *value to a string in UTF-8.
  bool String(std::string* value);
  // A whole number that is not negative.
  bool Number(uint64_t* value);
  bool Bool(bool* value);
  // Skips any value.
  bool Skip() { return SkipWithin(kMostDepth); }
  // Returns whether nothing follows.
  bool AtEnd();

 private:
  static constexpr int kMostDepth = 32;

  void SkipSpace();
  bool Take(char c);
  bool TakeWord(std::string_view word);
  bool Escaped(std::string* value);
  bool FourDigits(uint32_t* unit);
  bool SkipNumber();
  bool SkipWithin(int depth);

  std::string_view text_;  // what is not read yet
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SET_JSON_READER_H_
