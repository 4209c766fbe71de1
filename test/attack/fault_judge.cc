#include "test/attack/fault_judge.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <utility>

#include "ashlar/table/table_set.h"
#include "test/attack/held_resources.h"
#include "test/support/tables.h"

namespace ashlar::testing {

namespace fs = std::filesystem;

namespace {

constexpr size_t kLongestWord = 64;
constexpr char kLock[] = "t.tmp.lock";
constexpr char kManifest[] = "t-manifest.json";

bool Has(std::string_view text, std::string_view piece) {
  return text.find(piece) != std::string_view::npos;
}

std::string Piece(const std::string& name, const std::string& bytes) {
  return name + ":" + std::to_string(bytes.size()) + ":" + bytes;
}

// Whether the status says that the output has its name in spite of the error.
// Without memory it may be unable to say anything.
bool SaysInPlace(const Status& status) {
  return Has(status.message(), "is in place") ||
         Has(status.message(), "there was no memory for the message");
}

}  // namespace

FaultJudge::FaultJudge(const FaultScenario& scenario) : scenario_(scenario) {
  fs::create_directory(folder_ / "in");
  fs::create_directory(folder_ / "out");
  scenario.prepare(folder_.path());
  inputs_ = ReadFolder("in");
  start_ = ReadFolder("out");
  Learn();
}

// The first runs also make what lives until the end of the program.
void FaultJudge::Learn() {
  for (int i = 0; i < 3; ++i) {
    Restart();
    Outcome outcome = RunSound();
    Require(outcome.status);
    const Files out = ReadOutput();
    is_set_ = out.contains(kManifest);
    std::vector<std::string> left;
    after_ = Published(out, &left);
    whole_ = out;
    answer_ = std::move(outcome.answer);
    if (!left.empty()) throw std::runtime_error("left over: " + left.front());
  }
  Restart();
  FailingMemory::Arm(~uint64_t{0}, FailureMode::kOnce);  // only counts
  Outcome outcome = Run([] {}, [] {});
  FailingMemory::Disarm();
  allocations_ = FailingMemory::Count();
  Restart();
  std::vector<std::string> left;
  before_ = Published(ReadOutput(), &left);
}

template <typename Begin, typename End>
FaultJudge::Outcome FaultJudge::Run(const Begin& begin, const End& end) {
  Outcome outcome;
  // Has its block of memory before the count, and keeps it.
  outcome.answer.reserve(answer_.size() + kLongestWord);
  const HeldResources before = HeldResources::Now();
  Warnings::Clear();
  begin();
  try {
    outcome.status = scenario_.run(folder_.path(), &outcome.answer);
  } catch (const std::bad_alloc&) {
    // That of the scenario's own keys and answers.
    outcome.status = Status::OutOfMemory();
  }
  end();
  HeldResources after = HeldResources::Now();
  // The status is the caller's: a copy of it holds the same.
  const Status copy = outcome.status;
  after.blocks -= HeldResources::Now().blocks - after.blocks;
  outcome.leaked = after.Beyond(before);
  return outcome;
}

FaultJudge::Outcome FaultJudge::RunSound() {
  return Run([&] { BeginFaults(folder_.path(), scenario_.base_plan); },
             [&] { calls_ = EndFaults(); });
}

// Keeps no list of calls, which would count as held memory.
FaultJudge::Outcome FaultJudge::RunFault(const InjectedFault& fault) {
  std::string met;
  Outcome outcome = Run(
      [&] {
        const std::string plan = fault.Plan();
        BeginFaults(folder_.path(), scenario_.base_plan.empty()
                                        ? plan
                                        : scenario_.base_plan + "," + plan);
      },
      [&] {
        const std::vector<CountedCall> calls = EndFaults();
        if (fault.number <= calls.size()) met = calls[fault.number - 1].name;
      });
  outcome.met = met;
  return outcome;
}

FaultJudge::Outcome FaultJudge::RunAllocation(uint64_t number,
                                              FailureMode mode) {
  return Run([&] { FailingMemory::Arm(number, mode); },
             [] { FailingMemory::Disarm(); });
}

std::string FaultJudge::OfFault(const InjectedFault& fault) {
  reason_.clear();
  Restart();
  const Outcome outcome = RunFault(fault);
  has_failed_ = !outcome.status.ok();
  const FaultExpectation expected = ExpectationOf(fault, outcome.met);
  JudgeStatus(outcome.status, expected);
  JudgeFiles(outcome, expected.may_leave);
  if (has_failed_) JudgeNext();
  if (!expected.hides_descriptor) {
    JudgeLeaks(outcome, [&] { return RunFault(fault); });
  }
  return reason_;
}

std::string FaultJudge::OfAllocation(uint64_t number, FailureMode mode) {
  reason_.clear();
  Restart();
  const Outcome outcome = RunAllocation(number, mode);
  has_failed_ = !outcome.status.ok();
  if (has_failed_ && !outcome.status.IsMemoryLimit()) Blame("another error");
  if (has_failed_ && outcome.status.message().empty()) Blame("no message");
  JudgeFiles(outcome, mode == FailureMode::kFromThere);
  if (has_failed_) JudgeNext();
  JudgeLeaks(outcome, [&] { return RunAllocation(number, mode); });
  if (!reason_.empty()) reason_ += " (" + outcome.status.ToString() + ")";
  return reason_;
}

// What a first run holds may be kept until the end of the program. What each
// run holds is leaked.
template <typename Again>
void FaultJudge::JudgeLeaks(const Outcome& first, const Again& again) {
  std::string leaked = first.leaked;
  constexpr int kMoreRuns = 4;
  for (int i = 0; i < kMoreRuns && !leaked.empty(); ++i) {
    Restart();
    leaked = again().leaked;
  }
  if (!leaked.empty()) Blame("leaks " + leaked);
}

void FaultJudge::Restart() const {
  const std::string out = folder_ / "out";
  bool is_same = true;
  size_t files = 0;
  for (const auto& item : fs::directory_iterator(out)) {
    const auto found = start_.find(item.path().filename().string());
    is_same = is_same && item.is_regular_file() && found != start_.end() &&
              ReadFile(item.path().string()) == found->second;
    ++files;
  }
  if (is_same && files == start_.size()) return;
  for (const auto& item : fs::directory_iterator(out)) {
    fs::remove_all(item.path());
  }
  for (const auto& [name, bytes] : start_) {
    WriteFile((fs::path(out) / name).string(), bytes);
  }
}

// Folders have no bytes.
FaultJudge::Files FaultJudge::ReadFolder(const std::string& name) const {
  Files files;
  for (const auto& item : fs::directory_iterator(folder_ / name)) {
    files[item.path().filename().string()] =
        item.is_regular_file() ? ReadFile(item.path().string()) : "";
  }
  return files;
}

FaultJudge::Files FaultJudge::ReadOutput() const {
  Files files = ReadFolder("out");
  if (!scenario_.shape) return files;
  for (auto& [name, bytes] : files) bytes = scenario_.shape(bytes);
  return files;
}

// Returns what is published under final names. Adds to *left the names of all
// other files. Tables of a set that no manifest lists are not published.
std::string FaultJudge::Published(const Files& out,
                                  std::vector<std::string>* left) const {
  std::vector<std::string> pieces;
  Files rest = out;
  if (is_set_) {
    const auto tables = ReadTableSet(folder_ / "out/t.sst");
    if (!tables.ok() && !tables.status().IsNotFound()) Require(tables.status());
    rest.erase(kManifest);
    for (size_t i = 0; tables.ok() && i < tables->size(); ++i) {
      const auto table =
          rest.find(fs::path((*tables)[i].path).filename().string());
      // A set has new numbers after each failure, so names do not count.
      if (table == rest.end()) return "a table is missing";
      pieces.push_back(Piece("", table->second));
      rest.erase(table);
    }
  }
  for (const auto& [name, bytes] : rest) {
    if (is_set_ || Has(name, ".tmp.")) {
      left->push_back(name);
    } else {
      pieces.push_back(Piece(scenario_.shape ? "" : name, bytes));
    }
  }
  if (scenario_.shape) std::sort(pieces.begin(), pieces.end());
  std::string published;
  for (const std::string& piece : pieces) published += piece;
  return published;
}

// Whether each file is whole, though there are fewer than there should be: a
// failed run could not remove them.
bool FaultJudge::IsPart(const Files& out) const {
  return !is_set_ && std::all_of(out.begin(), out.end(), [&](const auto& file) {
    return Has(file.first, ".tmp.") ||
           std::any_of(whole_.begin(), whole_.end(), [&](const auto& whole) {
             return whole.second == file.second &&
                    (scenario_.shape || whole.first == file.first);
           });
  });
}

void FaultJudge::JudgeFiles(const Outcome& outcome, bool may_leave) {
  std::vector<std::string> left;
  const Files out = ReadOutput();
  const std::string published = Published(out, &left);
  if (outcome.status.ok()) {
    if (outcome.answer != answer_) Blame("another answer");
    if (published != after_)
      Blame("ok, but the output is another: " + published.substr(0, 60));
  } else if (before_ != after_ && published == after_) {
    if (!SaysInPlace(outcome.status)) Blame("an error, but the file is there");
  } else if (published != before_ && !(may_leave && IsPart(out))) {
    Blame("neither old nor new");
  } else if (before_ != after_ &&
             Has(outcome.status.message(), "the new set is in place")) {
    Blame("says that the new set is in place, but it is not");
  }
  if (!may_leave) JudgeLeft(left, outcome.status);
  if (ReadFolder("in") != inputs_) {
    for (const auto& [name, bytes] : inputs_) {
      WriteFile(folder_ / "in/" + name, bytes);
    }
    Blame("an input was changed");
  }
}

void FaultJudge::JudgeStatus(const Status& status,
                             const FaultExpectation& expected) {
  if (status.ok()) {
    // A set that replaces another is complete before the old tables go: a sync
    // that fails then is a warning.
    const bool is_warned = is_set_ && !start_.empty() && expected.is_fsync &&
                           Has(Warnings::Text(), folder_.path());
    if (expected.must_fail && !is_warned) {
      Blame("the error was lost");
    }
    return;
  }
  const std::string text = status.ToString();
  if (expected.must_succeed) Blame("should succeed: " + text);
  if (!Has(status.message(), folder_.path())) Blame("names no file: " + text);
  const bool is_right =
      expected.is_flip ? !status.IsMemoryLimit() && !status.IsAborted()
                       : status.IsIOError() ||
                             (status.IsMemoryLimit() && expected.no_memory);
  if (!is_right) Blame("the wrong code: " + text);
  if (expected.no_space && status.subcode() != Status::SubCode::kNoSpace) {
    Blame("does not say that there is no space: " + text);
  }
}

// A file that stays has been named, or is the lock of a set, which has no
// bytes.
void FaultJudge::JudgeLeft(const std::vector<std::string>& left,
                           const Status& status) {
  for (const std::string& name : left) {
    if (is_set_ && name == kLock) continue;
    if (!Has(Warnings::Text(), name) && !Has(status.message(), name)) {
      Blame("left over, and not named: " + name);
    }
  }
}

// The same work again, over what the failed run has left.
void FaultJudge::JudgeNext() {
  if (scenario_.keeps_existing) Restart();
  const Outcome next = RunSound();
  if (!next.status.ok()) {
    return Blame("the next run: " + next.status.ToString());
  }
  if (is_set_) {
    TableSetOptions options;
    options.path = folder_ / "out/t.sst";
    options.remove_leftovers = true;
    Require(RecoverTableSet(options, nullptr));
  }
  std::vector<std::string> left;
  if (Published(ReadOutput(), &left) != after_) {
    Blame("the next run: another output");
  }
  if (is_set_ && !left.empty()) {
    Blame("the next run leaves " + left.front());
  }
}

void FaultJudge::Blame(const std::string& what) {
  if (!reason_.empty()) reason_ += "; ";
  reason_ += what;
}

}  // namespace ashlar::testing
