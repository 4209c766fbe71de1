// TextRowInput: the rows of one input of lines, parsed by several threads.
//
// The thread that calls Next, the owner, reads the input as batches of lines
// (line_reader.h), which needs no knowledge of columns. What takes longer, to
// make rows of the lines (row_batch.h), workers do ahead of the owner. The
// batches are in a ring. The owner alone moves a batch from state to state:
//
//   free       nothing of it is needed.
//   parsing    ReadAhead filled it and started the PooledCall that parses it.
//              The thread that makes the call has the batch and its parser: a
//              worker, or the owner in Wait, if none has come.
//   current    Wait has returned: the owner has it again, and Next shows its
//              rows and reports its bad lines. If what was made of the lines
//              took too much memory, some lines are left: the owner parses
//              them then. Then it is free.
//
// Batches are filled in the order of the ring, and become current in that
// order. So rows, faults and their places come in the order of the input,
// whichever thread made them; a fault of the input itself, such as a read that
// failed, comes after all rows before it. Nothing depends on how many batches
// are ahead.
//
// A parser learns from the first lines of an input. So the owner parses whole
// batches at once, with the parser of all inputs, until that is settled
// (RowParser::IsSettled). From then on, each batch of the ring has a copy. If
// that parser refuses the input as a whole, nothing more is read.
//
// Memory order: all of it passes on by PooledCall::Start and Wait, so nothing
// is atomic here. Progress: a call waits for nothing. The owner waits for calls
// that have begun, and for reads; it does not read ahead while nothing has
// come, or if a line is so long that a batch has grown. Once a part of a line
// has come, it waits for the rest of it.
//
// Limit: kMostAhead batches, whatever the number of threads: finding lines is
// then what takes the time.
//
// Rejected: to cut the input at fixed offsets. Whether a line break in CSV ends
// a row depends on all quotes before it, and on whether those rows are sound.
//
// Tests: test/tools/ashlar_row_threads_test.py.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_TEXT_ROW_INPUT_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_TEXT_ROW_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/util/pooled_call.h"
#include "ashlar/util/worker_pool.h"
#include "tools/ashlar/rows/bad_rows.h"
#include "tools/ashlar/rows/line_reader.h"
#include "tools/ashlar/rows/row_batch.h"
#include "tools/ashlar/rows/row_format.h"
#include "tools/ashlar/rows/row_input.h"
#include "tools/ashlar/rows/row_parser.h"

namespace ashlar::tool {

class TextRowInput : public RowInput {
 public:
  // What this refers to must outlive it. Rows keep pointers to the name. If
  // `pool` is null, the calling thread does all the work.
  TextRowInput(const std::string* name, const RowFormat& format,
               RowParser* parser, BadRows* bad_rows, WorkerPool* pool);

  Status Open(FaultText* error_line) override;
  Status Next(FaultText* error_line) override;
  bool skipped_byte_order_mark() const override {
    return reader_.skipped_byte_order_mark();
  }
  uint64_t position() const override { return reader_.bytes().position(); }
  uint64_t size() const override { return reader_.bytes().file_size(); }

 private:
  struct AheadBatch {
    RowBatch rows;
    std::unique_ptr<RowParser> parser;  // null until that of all is settled
    PooledCall parsing;                 // destroyed first: it uses the others
  };

  AheadBatch& At(uint64_t number) { return *ring_[number % ring_.size()]; }
  void ReadAhead();
  void StartToParse(AheadBatch* batch);
  // Makes the next batch the current one, if there is one.
  Status MoveToBatch();
  void ParseMore();
  void FreeCurrent();
  void Parse(RowParser* parser, RowBatch* batch) const;
  Status TakeBadLine(const BadLine& line, FaultText* error_line);
  Status End(FaultText* error_line);

  const std::string* const name_;
  RowParser* const parser_;
  BadRows* const bad_rows_;
  WorkerPool* const pool_;
  LineReader reader_;
  std::vector<std::unique_ptr<AheadBatch>> ring_;
  // The numbers of batches, counted from the start of the input: those before
  // shown_ are free again, and those before filled_ were filled.
  uint64_t shown_ = 0;
  uint64_t filled_ = 0;
  bool at_end_ = false;  // the reader has no more lines
  const RowBatch* current_ = nullptr;
  size_t next_row_ = 0;
  size_t next_bad_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_TEXT_ROW_INPUT_H_
