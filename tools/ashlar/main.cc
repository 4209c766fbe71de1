// The program `ashlar`. Started under another name (a link called sst_dump) it
// is the same.
#include "tools/ashlar/run.h"

int main(int argc, char** argv) {
  return ashlar::tool::RunProgram(ashlar::tool::ParseCommandLine(argc, argv));
}
