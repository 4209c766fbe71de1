// OutputFile: an AtomicFile, with a warning if its temporary name could not be
// removed. Also finds temporary files that killed runs left. For one thread at
// a time.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_OUTPUT_FILE_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_OUTPUT_FILE_H_

#include <memory>
#include <string>
#include <utility>

#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {

class OutputFile {
 public:
  static Result<std::unique_ptr<OutputFile>> Create(
      const std::string& path, const AtomicFile::Options& options) {
    auto file = AtomicFile::Create(path, options);
    if (!file.ok()) return file.status();
    return std::unique_ptr<OutputFile>(new OutputFile(std::move(file).value()));
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() {
    const Status status = file_->RemoveTemporary();
    if (!status.ok()) PrintWarning(status.message());
  }

  WritableFile* file() { return file_->file(); }
  Status Commit() { return file_->Commit(); }

 private:
  explicit OutputFile(std::unique_ptr<AtomicFile> file)
      : file_(std::move(file)) {}

  const std::unique_ptr<AtomicFile> file_;
};

// Warns of temporary files that earlier runs left next to `path`, named
// <path>.tmp.<n>.<n>. With --clean, removes them. It leaves two things alone:
// the file of a run that is still alive, which is locked; and anything with
// such a name that is not a regular file.
void WarnOfLeftFiles(const std::string& path);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_OUTPUT_FILE_H_
