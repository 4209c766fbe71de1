// OpenBuiltTable: a reader of a table that was just built, without reading its
// file.
//
// For flushes. With BuildOptions::keep_tail the builder still has index, filter
// and properties in memory, in the form of the file, and the reader is made of
// these: every check of an opening is done. With
// BuildOptions::prepopulate_block_cache the data blocks are in the block cache
// too, so the first reads of the new table read nothing of the file either:
//
//   build_options.keep_tail = true;
//   build_options.prepopulate_block_cache = true;
//   build_options.block_cache = reader_options.block_cache;
//   // ... Create, Add, Finish, and Sync and Close of the file. Then:
//   auto file = ashlar::OpenRandomAccessFile(path);
//   if (!file.ok()) return file.status();
//   auto reader = ashlar::OpenBuiltTable(*builder, std::move(file).value(),
//                                        reader_options);
#ifndef ASHLAR_TABLE_BUILT_TABLE_H_
#define ASHLAR_TABLE_BUILT_TABLE_H_

#include <memory>

#include "ashlar/table/reader_options.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"

namespace ashlar {

// Opens the table that `builder` has finished, and loads index and filter, with
// all their partitions: into the block cache if
// ReaderOptions::cache_index_and_filter_blocks says so. `file` must not be
// null, and is the finished file, opened again; it is read later, for what is
// not in memory.
//
// Without BuildOptions::keep_tail it reads the file. Returns InvalidArgument if
// Finish was not called, or if `file` has not the size of the table; the error
// of the build if it failed; and the errors of TableReader::Open. The reader
// does not need the builder. One thread at a time may use the builder.
ASHLAR_EXPORT Result<std::unique_ptr<TableReader>> OpenBuiltTable(
    const TableBuilder& builder, std::unique_ptr<RandomAccessFile> file,
    const ReaderOptions& options = {});

}  // namespace ashlar

#endif  // ASHLAR_TABLE_BUILT_TABLE_H_
