// Tests the answers that the page in a browser draws, on this machine. The page
// itself is tested by test/web/check_page.py.
#include "tools/web/table_session.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/options.h"
#include "test/support/folder.h"
#include "test/support/tables.h"
#include "tools/ashlar/page/json_value.h"

namespace ashlar::tool {
namespace {

using testing::Entry;

class TableSessionTest : public ::testing::Test {
 protected:
  // Writes a table with these entries in blocks of a few of them.
  void Write(const std::vector<Entry>& entries) {
    TableOptions options;
    options.block_size = 64;
    testing::WriteFile(path_, testing::BuildTable(options, entries));
  }

  JsonValue Ask(const std::string& question) {
    return JsonValue::Parse(session_.Answer(JsonValue::Parse(question)));
  }

  // Returns the keys of a page of entries of SomeEntries, short and joined.
  // Expects no error.
  std::string Keys(const JsonValue& answer) {
    EXPECT_EQ(answer["error"].text(), "");
    std::string keys;
    for (const JsonValue& entry : answer["entries"].items()) {
      keys += "k" + entry["key"].text().substr(7) + " ";
    }
    return keys;
  }

  // Returns the values of the versions that a search finds, joined.
  std::string Found(const std::string& question) {
    const JsonValue answer = Ask(question);
    EXPECT_EQ(answer["error"].text(), "");
    std::string found;
    for (const JsonValue& version : answer["versions"].items()) {
      found += version["sequence"].text() + ":" + version["value"].text() + " ";
    }
    return found;
  }

  const testing::TestFolder folder_;
  const std::string path_ = folder_ / "a.sst";
  TableSession session_{path_};
};

TEST_F(TableSessionTest, PagesGoForthAndBack) {
  Write(testing::SomeEntries(10));
  JsonValue page = Ask(R"({"ask": "entries", "count": 4})");
  EXPECT_EQ(Keys(page), "k0 k1 k2 k3 ");
  EXPECT_TRUE(page["more"].yes());
  page = Ask(R"({"ask": "entries", "count": 4, "after": ")" +
             page["last"].text() + "\"}");
  EXPECT_EQ(Keys(page), "k4 k5 k6 k7 ");
  const std::string first = page["first"].text();
  page = Ask(R"({"ask": "entries", "count": 4, "after": ")" +
             page["last"].text() + "\"}");
  EXPECT_EQ(Keys(page), "k8 k9 ");
  EXPECT_FALSE(page["more"].yes());
  page = Ask(R"({"ask": "entries", "count": 3, "before": ")" + first + "\"}");
  EXPECT_EQ(Keys(page), "k1 k2 k3 ");
  page = Ask(R"({"ask": "entries", "count": 9, "before": ")" + first + "\"}");
  EXPECT_EQ(Keys(page), "k0 k1 k2 k3 k4 k5 k6 k7 k8 ");
  page = Ask(R"({"ask": "entries", "count": 2, "from": "key000055"})");
  EXPECT_EQ(Keys(page), "k6 k7 ");
  page = Ask(R"({"ask": "entries", "count": 2, "last": true})");
  EXPECT_EQ(Keys(page), "k8 k9 ");
}

TEST_F(TableSessionTest, FindsStoredVersions) {
  Write({testing::Value("a\xff", 9, "new"), testing::Value("a\xff", 3, "old"),
         testing::Value("b", 4, "<b>"), testing::RangeDeleted("a", 5, "c")});
  EXPECT_EQ(Found(R"({"ask": "find", "key": "a\\xff"})"), "9:new 3:old ");
  EXPECT_EQ(Found(R"({"ask": "find", "key": "61FF", "hex": true})"),
            "9:new 3:old ");
  EXPECT_EQ(Found(R"({"ask": "find", "key": "b"})"), "4:<b> ");
  EXPECT_EQ(Found(R"({"ask": "find", "key": "c"})"), "");
  const JsonValue page = Ask(R"({"ask": "entries", "count": 9})");
  EXPECT_EQ(page["range_deletions_total"].number(), 1U);
  EXPECT_EQ(page["range_deletions"].items()[0]["value"].text(), "c");
}

TEST_F(TableSessionTest, SaysWhatIsWrongWithAQuestion) {
  Write(testing::SomeEntries(2));
  const auto error = [this](const std::string& question) {
    return Ask(question)["error"].text();
  };
  EXPECT_NE(error(R"({"ask": "find", "key": "6", "hex": true})")
                .find("not hexadecimal"),
            std::string::npos);
  EXPECT_NE(error(R"({"ask": "find", "key": "\\x"})").find("invalid escape"),
            std::string::npos);
  EXPECT_NE(error(R"({"ask": "delete"})").find("unknown question 'delete'"),
            std::string::npos);
}

TEST_F(TableSessionTest, KeysWithTimestamps) {
  TableSession session(testing::GoldenPath("r119-ts.sst"));
  const auto ask = [&session](const std::string& question) {
    return JsonValue::Parse(session.Answer(JsonValue::Parse(question)));
  };
  const JsonValue page = ask(R"({"ask": "entries", "count": 1})");
  EXPECT_EQ(page["error"].text(), "");
  ASSERT_EQ(page["entries"].items().size(), 1U);
  // A key is shown with its timestamp, of 8 bytes, and is found without it.
  const JsonValue& entry = page["entries"].items()[0];
  const std::string whole = entry["key_hex"].text();
  const std::string key = whole.substr(0, whole.size() - 16);
  const JsonValue found =
      ask(R"({"ask": "find", "hex": true, "key": ")" + key + "\"}");
  EXPECT_EQ(found["error"].text(), "");
  ASSERT_FALSE(found["versions"].items().empty());
  EXPECT_EQ(found["versions"].items()[0]["value"].text(),
            entry["value"].text());
}

TEST_F(TableSessionTest, ADamagedTable) {
  Write(testing::SomeEntries(50));
  std::string bytes = testing::ReadFile(path_);
  bytes[20] = static_cast<char>(bytes[20] ^ 1);  // in the first data block
  testing::WriteFile(path_, bytes);
  const JsonValue page = Ask(R"({"ask": "entries", "count": 4})");
  EXPECT_NE(page["error"].text().find("checksum"), std::string::npos);
  EXPECT_EQ(Ask(R"({"ask": "summary"})")["error"].text(), "");
  // The rest of the table can still be read.
  EXPECT_EQ(Keys(Ask(R"({"ask": "entries", "count": 1, "last": true})")),
            "k9 ");
}

TEST_F(TableSessionTest, NotATable) {
  testing::WriteFile(path_, "no table");
  for (const std::string& ask :
       std::vector<std::string>{"summary", "layout", "entries"}) {
    EXPECT_NE(Ask(R"({"ask": ")" + ask + "\"}")["error"].text(), "") << ask;
  }
  EXPECT_NE(Ask(R"({"ask": "report"})")["page"].text().find("bad footer"),
            std::string::npos);
}

TEST_F(TableSessionTest, LayoutByParts) {
  Write(testing::SomeEntries(50));
  const JsonValue all = Ask(R"({"ask": "layout", "count": 1000})");
  const auto total = all["total"].number();
  ASSERT_GT(total, 12U);
  EXPECT_EQ(all["blocks"].items().size(), total);
  const JsonValue part = Ask(R"({"ask": "layout", "first": 5, "count": 2})");
  ASSERT_EQ(part["blocks"].items().size(), 2U);
  EXPECT_EQ(part["blocks"].items()[0]["offset"].number(),
            all["blocks"].items()[5]["offset"].number());
  EXPECT_EQ(Ask(R"({"ask": "layout", "first": 5000, "count": 2})")["blocks"]
                .items()
                .size(),
            0U);
}

TEST_F(TableSessionTest, TheReport) {
  Write(testing::SomeEntries(50));
  const std::string page = Ask(R"({"ask": "report"})")["page"].text();
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0U) << page.substr(0, 60);
  EXPECT_NE(page.find("</html>"), std::string::npos);
}

}  // namespace
}  // namespace ashlar::tool
