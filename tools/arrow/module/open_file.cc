// libashlar_arrow.so: opens files of Arrow IPC and Parquet (module_abi.h).
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "third-party/arrow_lib.h"
#include "tools/arrow/module/input_file.h"
#include "tools/arrow/module_abi.h"

namespace ashlar::arrow {
namespace {

using ::arrow::RecordBatch;
using ::arrow::RecordBatchReader;
using ::arrow::Result;
using ::arrow::Status;

using Batches = std::shared_ptr<RecordBatchReader>;

constexpr int64_t kFirstRowsOfBatch = 256;
constexpr int64_t kMostRowsOfBatch = 65536;

// Arrow's other allocators keep more than they need: a build of 5 million rows
// takes 30 MB less with this one.
::arrow::MemoryPool* Memory() { return ::arrow::system_memory_pool(); }

// One of the forms that a file may have.
class OpenForm {
 public:
  virtual ~OpenForm() = default;
  virtual Result<std::shared_ptr<::arrow::Schema>> Schema() = 0;
  virtual Result<Batches> Open(const std::vector<int>& columns) = 0;
};

// --- Arrow IPC ---------------------------------------------------------------

::arrow::ipc::IpcReadOptions IpcOptions() {
  ::arrow::ipc::IpcReadOptions options;
  // The program has threads of its own.
  options.use_threads = false;
  options.memory_pool = Memory();
  return options;
}

// The batches of a file that has a footer.
class FileBatches : public RecordBatchReader {
 public:
  explicit FileBatches(
      std::shared_ptr<::arrow::ipc::RecordBatchFileReader> reader)
      : reader_(std::move(reader)) {}
  std::shared_ptr<::arrow::Schema> schema() const override {
    return reader_->schema();
  }
  Status ReadNext(std::shared_ptr<RecordBatch>* batch) override {
    batch->reset();
    if (next_ == reader_->num_record_batches()) return Status::OK();
    return reader_->ReadRecordBatch(next_++).Value(batch);
  }

 private:
  const std::shared_ptr<::arrow::ipc::RecordBatchFileReader> reader_;
  int next_ = 0;
};

class IpcFile : public OpenForm {
 public:
  explicit IpcFile(std::shared_ptr<::arrow::io::RandomAccessFile> file)
      : file_(std::move(file)) {}
  Result<std::shared_ptr<::arrow::Schema>> Schema() override {
    ARROW_ASSIGN_OR_RAISE(
        auto reader,
        ::arrow::ipc::RecordBatchFileReader::Open(file_, IpcOptions()));
    return reader->schema();
  }
  Result<Batches> Open(const std::vector<int>& columns) override {
    ::arrow::ipc::IpcReadOptions options = IpcOptions();
    options.included_fields = columns;
    ARROW_ASSIGN_OR_RAISE(
        auto reader, ::arrow::ipc::RecordBatchFileReader::Open(file_, options));
    return std::make_shared<FileBatches>(std::move(reader));
  }

 private:
  const std::shared_ptr<::arrow::io::RandomAccessFile> file_;
};

// Some columns of the batches of a stream, which has been opened with all.
class ChosenColumns : public RecordBatchReader {
 public:
  ChosenColumns(Batches batches, std::vector<int> columns,
                std::shared_ptr<::arrow::Schema> schema)
      : batches_(std::move(batches)),
        columns_(std::move(columns)),
        schema_(std::move(schema)) {}
  std::shared_ptr<::arrow::Schema> schema() const override { return schema_; }
  Status ReadNext(std::shared_ptr<RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(batches_->ReadNext(batch));
    if (*batch == nullptr) return Status::OK();
    return (*batch)->SelectColumns(columns_).Value(batch);
  }

 private:
  const Batches batches_;
  const std::vector<int> columns_;
  const std::shared_ptr<::arrow::Schema> schema_;
};

class IpcStream : public OpenForm {
 public:
  explicit IpcStream(std::shared_ptr<::arrow::io::InputStream> input)
      : input_(std::move(input)) {}
  Result<std::shared_ptr<::arrow::Schema>> Schema() override {
    ARROW_ASSIGN_OR_RAISE(batches_, ::arrow::ipc::RecordBatchStreamReader::Open(
                                        input_, IpcOptions()));
    return batches_->schema();
  }
  Result<Batches> Open(const std::vector<int>& columns) override {
    ::arrow::FieldVector fields;
    for (const int column : columns) {
      fields.push_back(batches_->schema()->field(column));
    }
    return std::make_shared<ChosenColumns>(
        batches_, columns, std::make_shared<::arrow::Schema>(fields));
  }

 private:
  const std::shared_ptr<::arrow::io::InputStream> input_;
  Batches batches_;
};

// --- Parquet -----------------------------------------------------------------

void AddLeaves(const parquet::arrow::SchemaField& field,
               std::vector<int>* leaves) {
  if (field.is_leaf()) leaves->push_back(field.column_index);
  for (const auto& child : field.children) AddLeaves(child, leaves);
}

// Returns the bytes of the buffers, but those of dictionaries: a batch with
// fewer rows has the same ones.
int64_t BytesOf(const ::arrow::ArrayData& array) {
  int64_t bytes = 0;
  for (const auto& buffer : array.buffers) {
    if (buffer != nullptr) bytes += buffer->size();
  }
  for (const auto& child : array.child_data) bytes += BytesOf(*child);
  return bytes;
}

// Batches of about equal size in bytes. The file does not say how large its
// rows become: a text that a page has once, in a dictionary, may be in each
// row. So the first batch has few rows. How many rows each later batch has
// follows from the size of the batch before it.
class SizedBatches : public RecordBatchReader {
 public:
  // `reader` must outlive this.
  SizedBatches(Batches batches, parquet::arrow::FileReader* reader,
               int64_t most_rows, uint64_t batch_bytes)
      : batches_(std::move(batches)),
        reader_(reader),
        most_rows_(most_rows),
        batch_bytes_(batch_bytes) {}
  std::shared_ptr<::arrow::Schema> schema() const override {
    return batches_->schema();
  }
  Status ReadNext(std::shared_ptr<RecordBatch>* batch) override {
    // The reader looks at this for each batch.
    reader_->set_batch_size(rows_);
    ARROW_RETURN_NOT_OK(batches_->ReadNext(batch));
    if (*batch == nullptr || (*batch)->num_rows() == 0) return Status::OK();
    double bytes = 1;
    for (const auto& column : (*batch)->column_data()) {
      bytes += static_cast<double>(BytesOf(*column));
    }
    const double fit = static_cast<double>(batch_bytes_) *
                       static_cast<double>((*batch)->num_rows()) / bytes;
    const int64_t most = std::min(most_rows_, rows_ * kMostGrowth);
    rows_ = fit < static_cast<double>(most)
                ? std::max<int64_t>(static_cast<int64_t>(fit), 1)
                : most;
    return Status::OK();
  }

 private:
  static constexpr int64_t kMostGrowth = 4;
  const Batches batches_;
  parquet::arrow::FileReader* const reader_;
  const int64_t most_rows_;
  const uint64_t batch_bytes_;
  int64_t rows_ = std::min(most_rows_, kFirstRowsOfBatch);
};

class ParquetFile : public OpenForm {
 public:
  ParquetFile(std::shared_ptr<::arrow::io::RandomAccessFile> file,
              uint64_t batch_bytes)
      : file_(std::move(file)), batch_bytes_(batch_bytes) {}
  Result<std::shared_ptr<::arrow::Schema>> Schema() override {
    parquet::ReaderProperties bytes(Memory());
    // Columns are read page by page, and not a whole row group at once.
    bytes.enable_buffered_stream();
    bytes.set_buffer_size(int64_t{1} << 20);
    // Where pages have checksums, which is seldom.
    bytes.set_page_checksum_verification(true);
    parquet::ArrowReaderProperties rows(/*use_threads=*/false);
    rows.set_pre_buffer(false);
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(file_, bytes));
    builder.memory_pool(Memory())->properties(rows);
    ARROW_ASSIGN_OR_RAISE(reader_, builder.Build());
    std::shared_ptr<::arrow::Schema> schema;
    ARROW_RETURN_NOT_OK(reader_->GetSchema(&schema));
    return schema;
  }
  Result<Batches> Open(const std::vector<int>& columns) override {
    std::vector<int> leaves;
    for (const int column : columns) {
      AddLeaves(
          reader_->manifest().schema_fields.at(static_cast<size_t>(column)),
          &leaves);
    }
    std::vector<int> groups(static_cast<size_t>(reader_->num_row_groups()));
    std::iota(groups.begin(), groups.end(), 0);
    ARROW_ASSIGN_OR_RAISE(auto batches,
                          reader_->GetRecordBatchReader(groups, leaves));
    return std::make_shared<SizedBatches>(std::move(batches), reader_.get(),
                                          MostRows(leaves), batch_bytes_);
  }

 private:
  // Returns how many rows of these columns have about the bytes of a batch, if
  // they are as large in memory as pages are without their compression.
  int64_t MostRows(const std::vector<int>& leaves) const {
    const auto metadata = reader_->parquet_reader()->metadata();
    int64_t rows = kMostRowsOfBatch;
    for (int i = 0; i < metadata->num_row_groups(); ++i) {
      const auto group = metadata->RowGroup(i);
      double bytes = 0;
      for (const int leaf : leaves) {
        bytes += static_cast<double>(std::max<int64_t>(
            group->ColumnChunk(leaf)->total_uncompressed_size(), 0));
      }
      if (group->num_rows() <= 0 || bytes <= 0) continue;
      const double fit = static_cast<double>(batch_bytes_) *
                         static_cast<double>(group->num_rows()) / bytes;
      if (fit < static_cast<double>(rows)) rows = static_cast<int64_t>(fit);
    }
    return std::max<int64_t>(rows, 1);
  }

  const std::shared_ptr<::arrow::io::RandomAccessFile> file_;
  const uint64_t batch_bytes_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
};

// --- What the program sees ---------------------------------------------------

struct OpenedFile {
  ReadState reads;
  std::unique_ptr<OpenForm> form;
  std::string error;

  // Calls a function that returns a Status. Returns the number for it, and
  // keeps the reason. Nothing may be thrown into the program.
  template <typename Function>
  int Call(Function function) {
    try {
      return Report(StatusOf(function));
    } catch (...) {
      // There is no memory: Arrow throws exceptions of std alone. This text
      // needs none.
      error = "no memory";
      return ENOMEM;
    }
  }

 private:
  template <typename Function>
  static Status StatusOf(Function function) {
    try {
      return function();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& thrown) {
      return Status::Invalid(thrown.what());
    }
  }
  int Report(const Status& status) {
    if (status.ok()) return 0;
    error = status.message();
    if (reads.interrupted) return ECANCELED;
    if (reads.failed) return EIO;
    if (status.IsOutOfMemory()) return ENOMEM;
    return status.IsNotImplemented() ? ENOSYS : EINVAL;
  }
};

// The batches as a stream of C. Arrow's own export lets pass what is thrown.
struct OpenedStream {
  OpenedFile* file;
  Batches batches;
};

OpenedStream* StreamOf(ArrowArrayStream* stream) {
  return static_cast<OpenedStream*>(stream->private_data);
}

int GetStreamSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  OpenedStream* const opened = StreamOf(stream);
  return opened->file->Call(
      [&] { return ::arrow::ExportSchema(*opened->batches->schema(), out); });
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  OpenedStream* const opened = StreamOf(stream);
  *out = {};
  return opened->file->Call([&] {
    std::shared_ptr<RecordBatch> batch;
    ARROW_RETURN_NOT_OK(opened->batches->ReadNext(&batch));
    if (batch == nullptr) return Status::OK();
    // Compares the sizes of all buffers with what the arrays need. The program
    // cannot: it does not see the sizes.
    ARROW_RETURN_NOT_OK(batch->Validate());
    return ::arrow::ExportRecordBatch(*batch, out);
  });
}

const char* GetStreamError(ArrowArrayStream* stream) {
  return StreamOf(stream)->file->error.c_str();
}

void ReleaseStream(ArrowArrayStream* stream) {
  delete StreamOf(stream);
  stream->release = nullptr;
}

OpenedFile* FileOf(const AshlarArrowFile* file) {
  return static_cast<OpenedFile*>(file->private_data);
}

int GetSchema(AshlarArrowFile* file, ArrowSchema* out) {
  OpenedFile* const opened = FileOf(file);
  return opened->Call([&] {
    ARROW_ASSIGN_OR_RAISE(const auto schema, opened->form->Schema());
    return ::arrow::ExportSchema(*schema, out);
  });
}

int GetStream(AshlarArrowFile* file, const int* columns, int64_t count,
              ArrowArrayStream* out) {
  OpenedFile* const opened = FileOf(file);
  return opened->Call([&] {
    ARROW_ASSIGN_OR_RAISE(auto batches, opened->form->Open(std::vector<int>(
                                            columns, columns + count)));
    *out = {GetStreamSchema, GetNext, GetStreamError, ReleaseStream,
            new OpenedStream{opened, std::move(batches)}};
    return Status::OK();
  });
}

uint64_t GetPosition(const AshlarArrowFile* file) {
  return FileOf(file)->reads.bytes;
}

uint64_t GetSize(const AshlarArrowFile* file) {
  return FileOf(file)->reads.size;
}

const char* GetLastError(AshlarArrowFile* file) {
  return FileOf(file)->error.c_str();
}

void Release(AshlarArrowFile* file) {
  delete FileOf(file);
  file->release = nullptr;
}

Status OpenFormOf(const AshlarArrowRequest& request, OpenedFile* opened) {
  constexpr std::string_view kFileMagic = "ARROW1";
  if (request.path == nullptr) {
    if (request.is_parquet != 0) {
      return Status::Invalid("Parquet cannot be read from standard input");
    }
    opened->form = std::make_unique<IpcStream>(
        NewPipeInput(0, request.wait_for_input, &opened->reads));
    return Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(auto file, OpenInputFile(request.path, &opened->reads));
  if (request.is_parquet != 0) {
    opened->form =
        std::make_unique<ParquetFile>(std::move(file), request.batch_bytes);
    return Status::OK();
  }
  std::array<char, kFileMagic.size()> head = {};
  ARROW_RETURN_NOT_OK(file->ReadAt(0, head.size(), head.data()));
  if (std::string_view(head.data(), head.size()) == kFileMagic) {
    opened->form = std::make_unique<IpcFile>(std::move(file));
  } else {
    opened->form = std::make_unique<IpcStream>(std::move(file));
  }
  return Status::OK();
}

}  // namespace
}  // namespace ashlar::arrow

extern "C" __attribute__((visibility("default"))) int ashlar_arrow_open_1(
    const AshlarArrowRequest* request, AshlarArrowFile* out) {
  using namespace ashlar::arrow;
  auto* const opened = new (std::nothrow) OpenedFile;
  *out = {};
  if (opened == nullptr) return ENOMEM;
  *out = {GetSchema,    GetStream, GetPosition, GetSize,
          GetLastError, Release,   opened};
  return opened->Call([&] { return OpenFormOf(*request, opened); });
}
