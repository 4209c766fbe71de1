"""C++ text in its parts: code, strings, comments. For the checks beside it."""

import re

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/'
    r'|R"(?P<tag>[^()\s\\]*)\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'", re.DOTALL)


def strip_comments_and_strings(text):
    """Blanks them out, keeping every line break."""
    def blank(match):
        kept = re.sub(r'[^\n]', ' ', match[0])
        return kept if match[0].startswith('/') else '"' + kept[1:-1] + '"'
    return TOKEN.sub(blank, text)


def split_text(text):
    """Returns three texts with the line breaks of `text`: its code, its
    strings, its comments. Of what is left out nothing but a space stays, and
    its line breaks."""
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
