"""Turns pages of Markdown into HTML, with links to what they name.

cmark-gfm reads the Markdown. Words in backticks become links if they are names
of the library, commands of the program, or pages of the site.
"""

import html
import os
import re
import subprocess

from names import relative

HEADING = re.compile(r'<h([1-6])>(.*?)</h\1>', re.S)
CODE = re.compile(r'(<pre>.*?</pre>|<a .*?</a>)|<code>([^<]*)</code>', re.S)
HREF = re.compile(r'href="([^"]*)"')
COMMAND = re.compile(r'^ashlar (?:help )?([a-z][\w-]*)')


class MarkdownFailed(Exception):
    """cmark-gfm did not read a page."""


def slug(text, used):
    """Returns the anchor of a heading, by the rule of GitHub."""
    text = html.unescape(re.sub(r'<[^>]*>', '', text)).lower()
    anchor = re.sub(r'[^\w\- ]', '', text).replace(' ', '-')
    unique, n = anchor, 0
    while unique in used:
        n += 1
        unique = f'{anchor}-{n}'
    used.add(unique)
    return unique


def title_of(text):
    found = re.search(r'^# (.*)$', text, re.M)
    return found[1].strip().replace('`', '') if found else ''


def without_comments(text):
    return re.sub(r'^<!--.*?-->\n', '', text, flags=re.M | re.S)


class Pages:
    """The pages of a site: source -> address, and how each is rendered."""

    def __init__(self, addresses, commands, manuals):
        self.addresses = addresses  # docs/errors.md -> pages/errors.html
        self.commands = commands  # names of commands with a manual page
        self.manuals = manuals  # command -> address

    def render(self, source, text, resolve):
        """Returns the HTML of a page. `resolve` finds names for it."""
        done = subprocess.run(
            ['cmark-gfm', '-e', 'table'], input=without_comments(text),
            text=True, capture_output=True, check=False)
        if done.returncode:
            raise MarkdownFailed(f'{source}: {done.stderr}')
        used = set()

        def heading(match):
            anchor = slug(match[2], used)
            here = (f'<a class="here" href="#{anchor}">#</a>'
                    if match[1] != '1' else '')
            return (f'<h{match[1]} id="{anchor}">{match[2]}{here}'
                    f'</h{match[1]}>')

        def code(match):
            if match[1]:
                return match[1]
            target = self.target_of(html.unescape(match[2]), source, resolve)
            return (f'<a href="{html.escape(target)}">{match[0]}</a>'
                    if target else match[0])
        page = HEADING.sub(heading, done.stdout)
        page = CODE.sub(code, page)
        page = HREF.sub(lambda match: f'href="{self.moved(match[1], source)}"',
                        page)
        return page.replace('<table>', '<div class="wide"><table>').replace(
            '</table>', '</table></div>')

    def target_of(self, word, source, resolve):
        """Returns the address of what a word in backticks names, or None."""
        page = self.addresses[source]
        if word in self.addresses and word != source:
            return relative(self.addresses[word], page)
        command = COMMAND.match(word)
        if command and command[1] in self.commands:
            return relative(self.manuals[command[1]], page)
        return resolve(word)

    def moved(self, link, source):
        """Returns a link of a source file as one of its page."""
        if re.match(r'\w+:', link) or link.startswith('#'):
            return link
        if not link.partition('#')[0].endswith('.md'):
            return link
        path, _, anchor = link.partition('#')
        target = os.path.normpath(os.path.join(os.path.dirname(source), path))
        if target not in self.addresses:
            return link
        address = self.addresses[target] + (f'#{anchor}' if anchor else '')
        return relative(address, self.addresses[source])
