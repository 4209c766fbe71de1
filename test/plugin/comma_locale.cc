#include "test/plugin/comma_locale.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <string>

namespace ashlar::testing {

namespace {

bool SetNumbers(const char* locale) {
  return std::setlocale(LC_NUMERIC, locale) != nullptr;
}

bool MakeLocale(const std::string& folder) {
  const std::string command =
      "localedef -i de_DE -f UTF-8 " + folder + "/de_DE.UTF-8 >/dev/null 2>&1";
  return std::system(command.c_str()) == 0 &&
         setenv("LOCPATH", folder.c_str(), 1) == 0;
}

}  // namespace

CommaLocale::CommaLocale() {
  for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8"}) {
    is_set_ = is_set_ || SetNumbers(locale);
  }
  if (!is_set_ && MakeLocale(folder_.path())) {
    is_set_ = SetNumbers("de_DE.UTF-8");
  }
  if (!is_set_ && std::getenv("ASHLAR_REQUIRE_INTEROP") != nullptr) {
    ADD_FAILURE() << "no locale has a comma: the package 'locales' is missing";
  }
}

CommaLocale::~CommaLocale() {
  SetNumbers("C");
  unsetenv("LOCPATH");
}

}  // namespace ashlar::testing
