// The WebAssembly module of the page: what JavaScript calls.
#include <memory>
#include <string>

#include "tools/ashlar/page/json_value.h"
#include "tools/web/table_session.h"

namespace {

std::unique_ptr<ashlar::tool::TableSession> session;
std::string answer;

}  // namespace

// The names are those by which tools/web/worker.js knows them.
extern "C" {

// Opens another table, whose file is called `name`. Reads nothing yet.
void ashlar_open_table(const char* name) {
  session = std::make_unique<ashlar::tool::TableSession>(name);
}

// Answers a question about the table, as TableSession::Answer. The answer lives
// until the next call.
const char* ashlar_answer(const char* question) {
  answer = session->Answer(ashlar::tool::JsonValue::Parse(question));
  return answer.c_str();
}
}
