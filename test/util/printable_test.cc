// Text that is safe to show, whatever bytes it was made from.

#include "ashlar/util/printable.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "ashlar/util/status.h"

namespace ashlar::testing {
namespace {

using std::string_view_literals::operator""sv;

TEST(Printable, Text) {
  EXPECT_EQ(PrintableText(""), "");
  EXPECT_EQ(PrintableText("plain \\ text"), "plain \\ text");
  EXPECT_EQ(PrintableText("\x1b[2J\n\t\0\x7f"sv), R"(\x1B[2J\x0A\x09\x00\x7F)");
  // Letters beyond ASCII stay unchanged, control characters beyond ASCII do
  // not.
  EXPECT_EQ(PrintableText("\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80"),
            "\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80");
  EXPECT_EQ(PrintableText("\xc2\x80\xc2\x9b\xc2\xa0"),
            "\\xC2\\x80\\xC2\\x9B\xc2\xa0");
}

TEST(Printable, WhatIsNoUtf8) {
  for (const std::string_view bad :
       {"\xff"sv, "\x80"sv, "\xc0\x80"sv, "\xc1\xbf"sv, "\xe0\x80\x80"sv,
        "\xed\xa0\x80"sv, "\xf4\x90\x80\x80"sv, "\xf5\x80\x80\x80"sv,
        "\xe4\xb8"sv, "\xc3"sv}) {
    EXPECT_EQ(Utf8CharacterBytes(bad), 0u);
    const std::string text = PrintableText(bad);
    EXPECT_EQ(text.size(), 4 * bad.size()) << text;
    EXPECT_EQ(PrintableText(text), text);
  }
  EXPECT_EQ(PrintableText("a\xe4\xb8z"), "a\\xE4\\xB8z");
  EXPECT_EQ(Utf8CharacterBytes(""), 0u);
}

// A message is printable whatever bytes it contains and however it is made.
TEST(Printable, EveryMessageOfAStatus) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  const std::string shown = PrintableText(all);
  for (const Status& status :
       {Status::Corruption(all), Status::NotFound(all),
        Status::NotSupported(all), Status::InvalidArgument(all),
        Status::IOError(all), Status::Aborted(all), Status::MemoryLimit(all),
        Status::MergeInProgress(all), Status(Status::IOError(all))}) {
    EXPECT_EQ(status.message(), shown);
    std::string twice = shown;
    twice.append(": ").append(shown);
    EXPECT_EQ(status.WithPrefix(all).message(), twice);
    EXPECT_TRUE(status.ToString().ends_with(shown));
  }
  EXPECT_EQ(Status::FromErrno("open", "a\x1b", ENOENT).message(),
            "open a\\x1B: No such file or directory");
  EXPECT_TRUE(Status::FromErrno("map", "a", ENOMEM).IsMemoryLimit());
}

}  // namespace
}  // namespace ashlar::testing
