"""Splits C++ text into code, strings and comments. For the checks here."""

import re

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/'
    r'|R"(?P<tag>[^()\s\\]*)\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'", re.DOTALL)


def strip_comments_and_strings(text):
    """Replaces comments and strings by blanks. Keeps every line break."""
    def blank(match):
        kept = re.sub(r'[^\n]', ' ', match[0])
        return kept if match[0].startswith('/') else '"' + kept[1:-1] + '"'
    return TOKEN.sub(blank, text)


def split_text(text):
    """Returns three texts: the code of `text`, its strings and its comments.
    All keep the line breaks of `text`. What a text leaves out is one space
    there, with the line breaks in it."""
    parts = [[], [], []]
    at = 0
    for match in TOKEN.finditer(text):
        token = match[0]
        which = 2 if token.startswith('/') else 1
        for n, piece in ((0, text[at:match.start()]), (which, token)):
            breaks = '\n' * piece.count('\n') or ' '
            for other, part in enumerate(parts):
                part.append(piece if other == n else breaks)
        at = match.end()
    parts[0].append(text[at:])
    return tuple(''.join(part) for part in parts)
