#include "table/write/ring_watch.h"

#include <cstdio>
#include <cstdlib>

namespace ashlar::internal {

std::string DescribeRingState(const RingState& s) {
  std::string text;
  const auto number = [&text](const char* name, uint64_t value) {
    text += std::string(text.empty() ? "" : ", ") + name + " " +
            std::to_string(value);
  };
  number("head", s.head);
  number("emitted", s.emitted);
  number("claimed", s.claimed);
  text += ", compressed ";
  for (uint32_t i = 0; i < s.emitted; ++i) {
    text += (s.compressed >> i & 1) != 0 ? '1' : '0';
  }
  number("attending", s.attending);
  number("tickets", s.tickets);
  const auto flag = [&text](const char* name, bool value) {
    if (value) text += std::string(", ") + name;
  };
  flag("writing", s.writing);
  flag("emit thread sleeps", s.emit_sleeps);
  flag("closed", s.closed);
  flag("failed", s.failed);
  flag("ending", s.ending);
  return text;
}

uint64_t NoteOf(const RingStep& step) {
  return 1 + static_cast<uint64_t>(step.task) + (uint64_t{step.slot} << 8);
}

std::string DescribeNote(uint64_t note) {
  if (note == 0) return "has not come";
  const std::string slot = std::to_string(note >> 8);
  switch (static_cast<RingTask>((note & 0xff) - 1)) {
    case RingTask::kProceed:
      return "emits";
    case RingTask::kCompress:
      return "compresses slot " + slot;
    case RingTask::kWrite:
      return "writes from slot " + slot;
    case RingTask::kSleep:
      return "sleeps";
    case RingTask::kLeave:
      return "has left";
  }
  return "?";
}

void EverybodySleeps(const RingState& s) {
  std::fprintf(stderr,
               "ashlar: every thread sleeps in a compression ring: %s\n",
               DescribeRingState(s).c_str());
  std::abort();
}

}  // namespace ashlar::internal
