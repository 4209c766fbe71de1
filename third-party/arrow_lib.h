// Includes the headers of Arrow C++ and of its Parquet: nobody else does. For
// libashlar_arrow.so alone. Internal.

#ifndef ASHLAR_THIRD_PARTY_ARROW_LIB_H_
#define ASHLAR_THIRD_PARTY_ARROW_LIB_H_

#include <arrow/array/data.h>
#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/reader.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#endif  // ASHLAR_THIRD_PARTY_ARROW_LIB_H_
