#include "test/support/compaction_cases.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "ashlar/table/internal_key_less.h"
#include "test/support/folder.h"

namespace ashlar::testing {

namespace {

[[noreturn]] void Bad(const std::string& line) {
  throw std::runtime_error("bad line in cases.txt: " + line);
}

uint64_t ToNumber(const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) Bad(text);
  return number;
}

std::vector<std::string> WordsOf(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string KeyOf(const std::string& hex, const std::string& sequence,
                  const std::string& type) {
  return MakeInternalKey(Unhex(hex), ToNumber(sequence),
                         static_cast<ValueType>(ToNumber(type)));
}

std::string ValueOf(const std::string& word) {
  const size_t star = word.find('*');
  if (star == std::string::npos) return Unhex(word);
  return std::string(ToNumber(word.substr(star + 1)),
                     Unhex(word.substr(0, star)).front());
}

// Adds an entry, or a run of them.
void AddEntries(std::vector<std::string> words, CompactionCase::File* file) {
  uint64_t count = 1;
  uint64_t step = 0;
  if (words.back().front() == 'x') {
    const std::string run = words.back().substr(1);
    const size_t plus = run.find('+');
    count = ToNumber(run.substr(0, plus));
    step = ToNumber(run.substr(plus + 1));
    words.pop_back();
  }
  // The empty user key is no word.
  if (words[1].size() % 2 != 0 || words.size() < 4) {
    words.insert(words.begin() + 1, "");
  }
  std::string key = Unhex(words[1]);
  SequenceNumber sequence = ToNumber(words[2]);
  const auto type = static_cast<ValueType>(ToNumber(words[3]));
  const std::string value = words.size() > 4 ? ValueOf(words[4]) : "";
  constexpr size_t kDigits = 5;
  for (uint64_t i = 0; i < count; ++i) {
    file->entries.push_back({MakeInternalKey(key, sequence, type), value});
    if (count == 1) break;
    const size_t at = key.size() - kDigits;
    std::string number = std::to_string(ToNumber(key.substr(at)) + 1);
    key = key.substr(0, at) +
          std::string(kDigits - number.size(), '0').append(number);
    sequence += step;
  }
}

void AddFile(const std::vector<std::string>& words, CompactionCase* to) {
  CompactionCase::File file;
  file.level = static_cast<int>(ToNumber(words[1]));
  file.size = ToNumber(words[2]);
  file.smallest_seqno = ToNumber(words[3]);
  file.largest_seqno = ToNumber(words[4]);
  (words[0] == "in"    ? to->inputs
   : words[0] == "out" ? to->outputs
                       : to->others)
      .push_back(file);
}

CompactionCase::File* LastFile(const std::string& role, CompactionCase* of) {
  if (role == "in") return &of->inputs.back();
  return role == "out" ? &of->outputs.back() : &of->others.back();
}

void AddBound(std::vector<std::string> words, CompactionCase::File* file) {
  if (words.size() < 4) words.insert(words.begin() + 1, "");
  (words[0] == "smallest" ? file->smallest : file->largest) =
      KeyOf(words[1], words[2], words[3]);
}

}  // namespace

std::vector<CompactionCase> ReadCompactionCases() {
  std::ifstream in(GoldenPath("compaction/cases.txt"));
  std::vector<CompactionCase> cases;
  std::string role;
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> words = WordsOf(line);
    const std::string& word = words[0];
    if (word == "case") {
      cases.emplace_back().name = words[1];
      continue;
    }
    CompactionCase& now = cases.back();
    if (word == "option") {
      now.options[words[1]] = words[2];
    } else if (word == "pre") {
      now.pre.push_back(line.substr(word.size() + 1));
    } else if (word == "snap") {
      now.snapshots.emplace_back(words[1], ToNumber(words[2]));
    } else if (word == "action") {
      now.actions.push_back(line.substr(word.size() + 1));
    } else if (word == "op") {
      now.ops.push_back(line.substr(word.size() + 1));
    } else if (word == "in" || word == "other" || word == "out") {
      role = word;
      AddFile(words, &now);
    } else if (word == "smallest" || word == "largest") {
      AddBound(words, LastFile(role, &now));
    } else if (word == "e") {
      AddEntries(words, LastFile(role, &now));
    } else if (word == "status") {
      now.status = words[1];
      // Subcompactions number their files as they come.
      std::sort(
          now.outputs.begin(), now.outputs.end(),
          [](const CompactionCase::File& a, const CompactionCase::File& b) {
            return CompareInternalKeys(BytewiseComparator(), a.smallest,
                                       b.smallest) < 0;
          });
    } else {
      Bad(line);
    }
  }
  return cases;
}

bool CompactionCase::Has(const std::string& what) const {
  for (const std::string& line : pre) {
    if (line == what) return true;
  }
  return false;
}

uint64_t CompactionCase::Number(const std::string& option,
                                uint64_t otherwise) const {
  const auto found = options.find(option);
  return found == options.end() ? otherwise : ToNumber(found->second);
}

int CompactionCase::OutputLevel() const {
  const std::vector<std::string> words = WordsOf(actions.back());
  if (words[0] == "files") return static_cast<int>(ToNumber(words[1]));
  return outputs.empty() ? 1 : outputs.front().level;
}

std::string Describe(const std::vector<CompactionCase::File>& files) {
  std::string text;
  const auto key = [](const std::string& internal_key) {
    return Hex(UserKeyOf(internal_key).ToStringView()) + " " +
           std::to_string(SequenceOf(internal_key)) + " " +
           std::to_string(static_cast<int>(TypeOf(internal_key)));
  };
  for (const CompactionCase::File& file : files) {
    text += "file " + std::to_string(file.smallest_seqno) + " " +
            std::to_string(file.largest_seqno) + " from " + key(file.smallest) +
            " to " + key(file.largest) + "\n";
    for (const Entry& entry : file.entries) {
      std::string value = Hex(entry.value);
      constexpr size_t kShown = 80;
      if (value.size() > kShown) {
        value = value.substr(0, kShown) + "... " +
                std::to_string(entry.value.size());
      }
      text += "  " + key(entry.key) + " " + value + "\n";
    }
  }
  return text;
}

}  // namespace ashlar::testing
