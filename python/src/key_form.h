// KeyForm: which columns the keys of a table consist of, for reading them.
//
// A column is "<name>:<encoding>", with the encodings of docs/key_encodings.md,
// and the words text (bytes that are UTF-8), date (i32be, days since 1970) and
// timestamp (i64be, microseconds since 1970, UTC). One thread at a time.
#ifndef ASHLAR_PYTHON_SRC_KEY_FORM_H_
#define ASHLAR_PYTHON_SRC_KEY_FORM_H_

#include <string>
#include <vector>

#include "ashlar/table/entry/key_encoding.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "python/src/arrow_output.h"

namespace ashlar::python {

// An encoding, and what its values mean.
struct KeyColumn {
  enum class Meaning : uint8_t { kPlain, kText, kDate, kTimestamp };
  ColumnEncoding encoding;
  Meaning meaning = Meaning::kPlain;
};

// Parses the words of an encoding, without a name.
Result<KeyColumn> ParseKeyColumn(std::string_view words);

class KeyForm {
 public:
  // `is_salted`: the keys begin with a byte that is left out.
  static Result<KeyForm> Parse(const std::vector<std::string>& columns,
                               bool is_salted);

  const std::vector<OutputType>& types() const { return types_; }
  // Appends the columns of the key to those that begin at `to`. Returns
  // Corruption for a key that has not these columns.
  Status Append(const Slice& key, OutputColumn* to);

 private:
  std::vector<KeyColumn> columns_;
  std::vector<OutputType> types_;
  bool is_salted_ = false;
  std::string bytes_;
};

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_KEY_FORM_H_
