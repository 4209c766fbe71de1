"""Turns the text of comments into HTML: paragraphs, lists, code, links."""

import html
import re

WORD = re.compile(r'`[^`]+`|https?://[^\s)>]+|'
                  r'(?<![\w/.])~?[A-Za-z_]\w*(?:::~?\w+)*(?:\(\))?')
ITEM = re.compile(r'^(?:- |\d+\. )')
# A word like FooBar, kFoo or foo_bar cannot be a word of English.
CODE_LIKE = re.compile(r'[a-z0-9][A-Z]|_|::|\(\)$|^k[A-Z]')


def link(resolve, word, text):
    target = resolve(word)
    return f'<a href="{html.escape(target)}">{text}</a>' if target else text


def inline(text, resolve):
    """Returns `text` as HTML. resolve(name) returns an address, or None."""
    parts, at = [], 0
    for match in WORD.finditer(text):
        word = match[0]
        parts.append(html.escape(text[at:match.start()], quote=False))
        at = match.end()
        if word.startswith('`'):
            inner = html.escape(word[1:-1], quote=False)
            parts.append(f'<code>{link(resolve, word[1:-1], inner)}</code>')
        elif word.startswith('http'):
            address = word.rstrip('.,;')
            parts.append(f'<a href="{html.escape(address)}">'
                         f'{html.escape(address)}</a>{word[len(address):]}')
        elif CODE_LIKE.search(word):
            parts.append(link(resolve, word.removesuffix('()'),
                              html.escape(word, quote=False)))
        elif word[0].isupper():
            parts.append(link(resolve.of_class, word, word))
        else:
            parts.append(word)
    parts.append(html.escape(text[at:], quote=False))
    return ''.join(parts)


def blocks(lines):
    """Yields (kind, lines): 'text', 'item' and 'code', as the house writes
    them: what is indented by two or more is code or a diagram."""
    kind, block = None, []
    for line in [*lines, '']:
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            new = 'code' if kind == 'code' else None
        elif kind == 'item' and 0 < indent <= 3:
            new = 'item'
        elif indent >= 2:
            new = 'code'
        elif ITEM.match(line):
            new = 'item'
        else:
            new = 'text'
        if new != kind or new == 'item' and ITEM.match(line):
            if block:
                yield kind, block
            kind, block = new, []
        if new:
            block.append(line)
    if block:
        yield kind, block


def to_html(lines, resolve):
    """Returns the text of a comment, without its markers, as HTML."""
    out, in_list = [], False
    for kind, block in blocks(lines):
        if in_list and kind != 'item':
            out.append('</ul>')
            in_list = False
        if kind == 'code':
            code = '\n'.join(block).rstrip()
            margin = min(len(line) - len(line.lstrip())
                         for line in code.split('\n') if line.strip())
            code = '\n'.join(line[margin:] for line in code.split('\n'))
            out.append(f'<pre>{html.escape(code, quote=False)}</pre>')
        elif kind == 'item':
            if not in_list:
                out.append('<ul>')
                in_list = True
            text = ITEM.sub('', ' '.join(line.strip() for line in block))
            out.append(f'<li>{inline(text, resolve)}</li>')
        else:
            text = ' '.join(line.strip() for line in block)
            out.append(f'<p>{inline(text, resolve)}</p>')
    if in_list:
        out.append('</ul>')
    return '\n'.join(out)


def first_sentence(lines):
    """Returns the first sentence of a comment, for a list of headers."""
    text = []
    for line in lines:
        if not line.strip():
            break
        text.append(line.strip())
    sentence = re.match(r'.*?[.:](?=\s|$)(?:(?<=:).*?\.(?=\s|$))?',
                        ' '.join(text))
    return sentence[0] if sentence else ' '.join(text)
