// MemoryOutputs: keeps the outputs of a compaction in memory. One call at a
// time.
#ifndef ASHLAR_TEST_SUPPORT_MEMORY_OUTPUTS_H_
#define ASHLAR_TEST_SUPPORT_MEMORY_OUTPUTS_H_

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/compaction.h"
#include "test/support/faulty_file.h"

namespace ashlar::testing {

class MemoryOutputs final : public CompactionOutputs {
 public:
  struct File {
    size_t number = 0;
    std::string bytes;
    std::string smallest;  // internal keys, clipped to the output
    std::string largest;
    TableSummary summary;
  };

  // Appends of all outputs are operations of the plan, and so is each End.
  explicit MemoryOutputs(FaultPlan* plan = nullptr) : plan_(plan) {}

  Result<WritableFile*> Begin(size_t number, TableOptions* /*table_options*/,
                              BuildOptions* /*build_options*/) override {
    ++open;
    Opened& opened = opened_[number];
    const std::string name = "output " + std::to_string(number);
    opened.file = plan_ == nullptr
                      ? NewMemoryWritableFile(name, &opened.bytes)
                      : NewFaultyWritableFile(name, &opened.bytes, plan_);
    return opened.file.get();
  }
  Status End(const CompactionOutput& output) override {
    --open;
    Opened opened = std::move(opened_.at(output.number));
    opened_.erase(output.number);
    if (plan_ != nullptr && plan_->Next()) {
      return Status::IOError(std::string("end: ") + kInjected);
    }
    files.push_back({output.number, std::move(opened.bytes), output.smallest,
                     output.largest, output.builder->summary()});
    return {};
  }
  void Drop(size_t number) override {
    --open;
    ++dropped;
    if (opened_.erase(number) != 1) throw std::logic_error("no such output");
  }

  // Brings the files into this order, which must have all.
  void Order(const std::vector<size_t>& numbers) {
    std::vector<File> ordered;
    for (const size_t number : numbers) {
      for (File& file : files) {
        if (file.number == number) ordered.push_back(std::move(file));
      }
    }
    if (ordered.size() != files.size()) throw std::logic_error("other numbers");
    files = std::move(ordered);
  }

  std::vector<File> files;
  int open = 0;  // Begin without End or Drop
  int dropped = 0;

 private:
  struct Opened {
    std::string bytes;
    std::unique_ptr<WritableFile> file;
  };
  FaultPlan* const plan_;
  std::map<size_t, Opened> opened_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_MEMORY_OUTPUTS_H_
