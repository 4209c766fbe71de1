"""Tests which comment is about which declaration, and what a page shows."""

import os
import shutil
import sys
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), '../..'))
sys.path.insert(0, os.path.join(ROOT, 'tools/docs'))
import comment_text  # noqa: E402
import inventory  # noqa: E402
import reference  # noqa: E402
from header_scan import Header, walk  # noqa: E402
from names import Names, Resolver  # noqa: E402

HEADER = '''// Thing: one of several.
//
// Thread-safe.
#ifndef THING_H_
#define THING_H_

namespace ashlar {

class Other;

// How it goes.
enum class Way : int {
  kLeft,
  kRight,  // not left,
           // but the other way
};

class ASHLAR_EXPORT Thing {
 public:
  // Makes one of n.
  explicit Thing(int n) : n_(n), m_{n} {}
  Thing(const Thing&) = delete;
  ~Thing();

  // Returns them.
  int n() const { return n_; }
  int m(const std::map<int, int>& more = {}, char c = '{') const;

  // What stands alone.

  static constexpr int kMost = 1 << 4;  // at most
  friend bool operator==(const Thing& a, const Thing& b) {
    return a.n_ == b.n_;  // n alone
  }

 private:
  // Not shown.
  int n_;
  struct Inside {
    int hidden;
  };
};

namespace internal {
int Hidden();
}  // namespace internal

}  // namespace ashlar

#endif  // THING_H_
'''


def resolver():
    names = Names()
    names.add('ashlar::Thing', 'api/thing.html#Thing', True)
    names.add('ashlar::Thing::n', 'api/thing.html#Thing.n', False)
    return Resolver(names, 'api/other.html')


class HeaderScanTest(unittest.TestCase):
    def setUp(self):
        self.header = Header('util/thing.h', HEADER)
        self.items = list(walk(self.header.declarations))

    def item(self, beginning):
        return next(each for each in self.items
                    if each.source.strip().startswith(beginning))

    def test_the_top_is_about_the_header_and_its_class(self):
        self.assertEqual(self.header.comment,
                         ['Thing: one of several.', '', 'Thread-safe.'])
        self.assertTrue(self.item('class Thing').documented)

    def test_a_comment_is_about_what_follows_without_a_blank_line(self):
        self.assertEqual(self.item('int n()').comment, ['Returns them.'])
        self.assertTrue(self.item('int m(').follows)
        self.assertTrue(self.item('int m(').documented)
        without = HEADER.replace('  int m(', '\n  int m(')
        undocumented = [each.head for each in
                        walk(Header('util/thing.h', without).declarations)
                        if not each.documented and each.kind == 'member' and
                        each.access == 'public']
        self.assertEqual(len(undocumented), 2)  # m, Hidden
        self.assertIn('int m(', undocumented[0])

    def test_comments_at_the_end_of_a_line(self):
        self.assertEqual(self.item('kRight').trailing,
                         ['not left,', 'but the other way'])
        self.assertEqual(self.item('static constexpr').trailing, ['at most'])
        self.assertTrue(self.item('kLeft').documented)  # by the enum

    def test_bodies_are_not_shown(self):
        self.assertEqual(self.item('explicit').source.strip(),
                         'explicit Thing(int n);')
        self.assertEqual(
            self.item('int m(').source.strip(),
            "int m(const std::map<int, int>& more = {}, char c = '{') const;")
        self.assertNotIn('return', self.item('friend').source)

    def test_copies_and_destructors_need_no_comment(self):
        for beginning in ('Thing(const', '~Thing', 'friend bool'):
            self.assertTrue(self.item(beginning).documented, beginning)

    def test_what_is_private_is_known(self):
        self.assertEqual(self.item('int n_').access, 'private')

    def test_comments_that_stand_alone(self):
        self.assertEqual([each.comment for each in self.items
                          if each.kind == 'text'], [['What stands alone.']])

    def test_text(self):
        shown = comment_text.to_html(
            ['See Thing::n, and `Thing`.', '', '  code(a < b);', '', '- one',
             '  more', '- two'], resolver())
        self.assertEqual(
            shown,
            '<p>See <a href="thing.html#Thing.n">Thing::n</a>, and <code>'
            '<a href="thing.html#Thing">Thing</a></code>.</p>\n'
            '<pre>code(a &lt; b);</pre>\n<ul>\n<li>one more</li>\n'
            '<li>two</li>\n</ul>')

    def test_what_names_mean(self):
        resolve = resolver()
        self.assertEqual(resolve('Thing::n'), 'thing.html#Thing.n')
        self.assertEqual(resolve('ashlar::Thing'), 'thing.html#Thing')
        self.assertIsNone(resolve('n'))  # perhaps a parameter
        self.assertEqual(resolve.within('ashlar::Thing')('n'),
                         'thing.html#Thing.n')
        self.assertIsNone(resolve('a + b'))
        resolve.names.add('ashlar::Other::n_bytes', 'api/a.html#x', False)
        self.assertEqual(resolve('n_bytes'), 'a.html#x')
        resolve.names.add('ashlar::Third::n_bytes', 'api/b.html#x', False)
        self.assertIsNone(resolve('n_bytes'))  # of which of the two?

    def test_first_sentence(self):
        self.assertEqual(comment_text.first_sentence(
            ['Thing: one of', 'several. And more.']), 'Thing: one of several.')


@unittest.skipIf(shutil.which('doxygen') is None, 'there is no doxygen')
class ReferenceTest(unittest.TestCase):
    def pages_of(self, text):
        with tempfile.TemporaryDirectory() as root, \
                tempfile.TemporaryDirectory() as out:
            os.mkdir(os.path.join(root, 'util'))
            with open(os.path.join(root, 'util/thing.h'), 'w',
                      encoding='utf-8') as f:
                f.write(text)
            found = inventory.public_names(root, ['util/thing.h'], out)
            made = reference.Reference(root, ['util/thing.h'], found)
            return made.page('util/thing.h')[1]

    def test_a_page_has_what_is_public(self):
        page = self.pages_of(HEADER)
        for anchor in ('Thing', 'Thing.n', 'Way.kRight', 'Thing.kMost'):
            self.assertIn(f'id="{anchor}"', page)
        for hidden in ('Hidden', 'Not shown', 'Inside', 'class Other'):
            self.assertNotIn(hidden, page)

    def test_a_public_name_without_a_comment_is_an_error(self):
        for comment, name in (('  // Returns them.\n', 'ashlar::Thing::n '),
                              ('// How it goes.\n', 'ashlar::Way '),
                              ('  // at most', 'ashlar::Thing::kMost ')):
            with self.assertRaisesRegex(reference.Undocumented,
                                        f'thing.h:[0-9]+: {name}'):
                self.pages_of(HEADER.replace(comment, '', 1))

    def test_what_doxygen_does_not_understand_is_an_error(self):
        with self.assertRaises(inventory.DoxygenFailed):
            self.pages_of(HEADER.replace('// Returns them.', '/// @bogus'))
        with self.assertRaisesRegex(reference.Undocumented, 'Doxygen has not'):
            self.pages_of(HEADER.replace('}  // namespace ashlar\n', ''))


if __name__ == '__main__':
    unittest.main()
