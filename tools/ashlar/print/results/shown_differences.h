// ShownDifferences: counts what two inputs of `diff` do not have in common, and
// shows entries of it, up to --max_errors of them. In text; in JSON, the counts
// alone. One thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_RESULTS_SHOWN_DIFFERENCES_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_RESULTS_SHOWN_DIFFERENCES_H_

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/report.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {

class ShownDifferences {
 public:
  explicit ShownDifferences(Report* report) : report_(report) {}

  Differences& found() { return found_; }
  // Returns whether the entries of the next difference are to be shown. If not,
  // it is counted among those that are not.
  bool ShowsNext() {
    if (!report_->text()) return false;
    const bool shows = FLAGS_max_errors == 0 || shown_ < FLAGS_max_errors;
    ++(shows ? shown_ : found_.entries_not_shown);
    return shows;
  }
  void Show(const DifferentEntry& entry) { report_->ShowText(entry); }
  // To be called when all was compared.
  void Finish() {
    if (!found_.none()) report_->RaiseExitCode(kExitFault);
    report_->Show(found_);
  }

 private:
  Report* const report_;
  uint64_t shown_ = 0;
  Differences found_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_RESULTS_SHOWN_DIFFERENCES_H_
