// StoredProperties: the properties of a file by name, as the file stores them.
//
// Readers fill it in (TableProperties::stored). A program that keeps thousands
// of tables open has one for each, so all names and values are in one piece of
// memory.
//
// A plain value: thread-safe to read.
#ifndef ASHLAR_TABLE_STORED_PROPERTIES_H_
#define ASHLAR_TABLE_STORED_PROPERTIES_H_

#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ashlar/util/export.h"

namespace ashlar {

class ASHLAR_EXPORT StoredProperties {
 public:
  // A name and its value, which is bytes. Both live as long as the object that
  // returned them is neither changed nor destroyed.
  using value_type = std::pair<std::string_view, std::string_view>;

  // Walks over the properties in the order of their names.
  class const_iterator {
   public:
    // What the standard library asks of an iterator.
    using iterator_category = std::input_iterator_tag;
    using value_type = StoredProperties::value_type;
    using difference_type = ptrdiff_t;
    using pointer = const value_type*;
    using reference = value_type;

    // Is at property number i of *all.
    const_iterator(const StoredProperties* all, size_t i) : all_(all), i_(i) {}
    // Returns the property. Requires: the iterator is not at the end.
    value_type operator*() const { return all_->At(i_); }
    // Moves to the next property.
    const_iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator==(const const_iterator&) const = default;

   private:
    const StoredProperties* all_;
    size_t i_;
  };

  StoredProperties() = default;
  // Copies the properties of a map.
  explicit StoredProperties(const std::map<std::string, std::string>& entries);

  // Return the number of properties, and iterators over them.
  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }

  // Requires: not empty().
  value_type back() const { return At(size() - 1); }

  // Returns the value of this name, or nothing.
  std::optional<std::string_view> Find(std::string_view name) const;
  bool contains(std::string_view name) const { return Find(name).has_value(); }
  // Returns a copy.
  std::map<std::string, std::string> ToMap() const;

  // Adds a property. Returns false, and adds nothing, unless its name is larger
  // than all others. May throw std::bad_alloc.
  [[nodiscard]] bool Append(std::string_view name, std::string_view value);
  // Reserves memory for this number of properties, and for this number of bytes
  // of names and values together.
  void Reserve(size_t properties, size_t bytes);
  // Returns the bytes of memory in use.
  size_t ApproximateMemoryUsage() const;

  bool operator==(const StoredProperties&) const = default;

 private:
  struct Ends {
    size_t name;
    size_t value;
    bool operator==(const Ends&) const = default;
  };

  value_type At(size_t i) const;

  std::string bytes_;  // name, value, name, value, ...
  std::vector<Ends> ends_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_STORED_PROPERTIES_H_
