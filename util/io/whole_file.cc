// Files that are read and written as a whole.

#include "ashlar/util/whole_file.h"

#include "util/mem/memory_limit.h"

namespace ashlar {

Status ReadFileToString(const std::string& path, std::string* data) {
  return internal::OrMemoryLimit([&]() -> Status {
    auto file = OpenRandomAccessFile(path);
    if (!file.ok()) return file.status();
    data->resize((*file)->Size());
    Slice read;
    Status status = (*file)->Read(0, data->size(), data->data(), &read);
    if (status.ok() && read.size() < data->size()) {
      return Status::Corruption(path + ": the file became shorter");
    }
    return status;
  });
}

Status WriteStringToFile(const Slice& data, const std::string& path,
                         const AtomicFile::Options& options) {
  auto file = AtomicFile::Create(path, options);
  if (!file.ok()) return file.status();
  Status status = (*file)->file()->Append(data);
  return status.ok() ? (*file)->Commit() : status;
}

}  // namespace ashlar
