// CommaLocale: while it lives, numbers have a comma, as in German.
#ifndef ASHLAR_TEST_PLUGIN_COMMA_LOCALE_H_
#define ASHLAR_TEST_PLUGIN_COMMA_LOCALE_H_

#include "test/support/folder.h"

namespace ashlar::testing {

class CommaLocale {
 public:
  // Takes a locale that is installed, or one that the system can make: Debian's
  // package `locales` has what that needs.
  CommaLocale();
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;
  ~CommaLocale();

  // Returns whether there is one. If there must be one, its absence is a
  // failure of the test.
  bool is_set() const { return is_set_; }

 private:
  const TestFolder folder_;
  bool is_set_ = false;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_PLUGIN_COMMA_LOCALE_H_
