// EncodeRows: keys and values of rows as columns of Arrow, for engines that
// sort rows before they become tables.
#ifndef ASHLAR_PYTHON_SRC_ENCODED_ROWS_H_
#define ASHLAR_PYTHON_SRC_ENCODED_ROWS_H_

#include <memory>
#include <vector>

#include "ashlar/util/status.h"
#include "python/src/arrow_input.h"
#include "python/src/arrow_output.h"
#include "python/src/row_maker.h"

namespace ashlar::python {

// The columns of EncodeRows: "key" and "value", both of bytes.
std::vector<OutputType> EncodedTypes();

// Makes the key and the value of each row of the input, in its order. Returns
// InvalidArgument for a row that has none, or if all keys or all values have
// 2^31 bytes or more. Without the GIL.
Status EncodeRows(ArrowInput* input, RowMaker* rows,
                  std::shared_ptr<OutputBatch>* encoded);

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_ENCODED_ROWS_H_
