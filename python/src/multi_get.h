// FindAll: the values of many keys as one column of Arrow.
#ifndef ASHLAR_PYTHON_SRC_MULTI_GET_H_
#define ASHLAR_PYTHON_SRC_MULTI_GET_H_

#include <memory>
#include <optional>

#include "ashlar/table/get_result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "python/src/arrow_input.h"
#include "python/src/arrow_output.h"
#include "python/src/open_tables.h"
#include "python/src/row_maker.h"

namespace ashlar::python {

// Looks up all keys of the input. *found gets one column, "value", with a null
// for each key that is not there. A value is copied once, from its block into
// the column. Without the GIL.
Status FindAll(const OpenTables& tables, CallWatch* watch, ArrowInput* input,
               RowMaker* rows, std::shared_ptr<OutputBatch>* found);

// Returns the value, or nothing if there is none. Sets *status if there is one
// that cannot be shown.
std::optional<Slice> ValueOf(const GetResult& result, Status* status);

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_MULTI_GET_H_
