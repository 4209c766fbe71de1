"""The frame of every page of the site."""

import html

from names import relative

TOP = (('Guide', 'guide/index.html'), ('Reference', 'api/index.html'),
       ('Names', 'api/names.html'), ('Manual', 'man/ashlar.1.html'),
       ('Pages', 'pages/index.html'))


def side_list(entries, page):
    """Returns a list of (title, address) that marks the page itself."""
    rows = []
    for title, address in entries:
        here = ' aria-current="page"' if address == page else ''
        rows.append(f'<li><a href="{html.escape(relative(address, page))}"'
                    f'{here}>{html.escape(title)}</a></li>')
    return '<ul>' + '\n'.join(rows) + '</ul>'


def framed(page, title, body, version, side=()):
    """Returns the whole document. `side`: (title, address) of its section."""
    top = ' '.join(f'<a href="{relative(address, page)}">{name}</a>'
                   for name, address in TOP)
    nav = (f'<nav class="side" aria-label="Section">{side_list(side, page)}'
           '</nav>' if side else '')
    return f'''<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)} - Ashlar</title>
<link rel="stylesheet" href="{relative('site.css', page)}">
</head>
<body>
<header><a class="name" href="{relative('index.html', page)}">Ashlar</a>
{top} <span class="version">{html.escape(version)}</span></header>
<div class="columns">
{nav}
<main>
{body}
</main>
</div>
</body>
</html>
'''
