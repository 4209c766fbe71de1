// Reads the table that the example `build` wrote:
//   read <path>

#include <cstdio>
#include <string>

#include "ashlar/table/table_reader.h"

namespace {

ashlar::Status ReadFruit(const std::string& path) {
  auto reader = ashlar::TableReader::Open(path);
  if (!reader.ok()) return reader.status();

  // Looks up one key. The value is pinned, not copied.
  ashlar::GetResult result;
  ashlar::Status status = (*reader)->Get("fruit-00042", &result);
  if (!status.ok()) return status;
  if (result.state != ashlar::GetResult::State::kFound) {
    return ashlar::Status::NotFound("fruit-00042");
  }
  std::printf("fruit-00042 => %s\n", result.value.ToString().c_str());

  // Reads a range, in order.
  ashlar::Iterator it = (*reader)->NewIterator();
  for (it.Seek("fruit-00995"); it.Valid(); it.Next()) {
    std::printf("%s => %s\n", it.user_key().ToString().c_str(),
                it.value().ToString().c_str());
  }
  // The loop also ends at an error, such as damage in the file.
  return it.status();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: read <path>\n");
    return 2;
  }
  const ashlar::Status status = ReadFruit(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
