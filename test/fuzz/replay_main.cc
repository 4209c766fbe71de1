// Runs every file of a folder through one fuzz target, without libFuzzer.
//
//   fuzz_replay_<target> <folder or file> ...
//
// Names each input before it runs, so the last named input is the one that
// ended the process. Having no input at all is a failure.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using std::filesystem::path;

std::vector<path> InputsOf(const path& named) {
  std::vector<path> inputs;
  if (!std::filesystem::is_directory(named)) return {named};
  for (const auto& entry : std::filesystem::directory_iterator(named)) {
    if (entry.is_regular_file()) inputs.push_back(entry.path());
  }
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

bool Replay(const path& input) {
  std::ifstream file(input, std::ios::binary);
  const std::vector<char> read((std::istreambuf_iterator<char>(file)),
                               std::istreambuf_iterator<char>());
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", input.c_str());
    return false;
  }
  // Memory of exactly this size, so that a sanitizer reports reads beyond it.
  const std::vector<uint8_t> bytes(read.begin(), read.end());
  std::printf("%s, %zu bytes\n", input.c_str(), bytes.size());
  std::fflush(stdout);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    for (const path& input : InputsOf(argv[i])) {
      if (!Replay(input)) return 1;
      ++count;
    }
  }
  LLVMFuzzerTestOneInput(nullptr, 0);
  std::printf("%zu inputs\n", count);
  return count > 0 ? 0 : 1;
}
