"""Makes pages of the site of the manual pages that the program prints."""

import re
import subprocess

REFERENCE = re.compile(r'<b>(ashlar(?:-[a-z-]+)?)</b>\(1\)')


class ManualFailed(Exception):
    """The program printed no page, or mandoc found fault with it."""


def output_of(command, text=None):
    done = subprocess.run(command, input=text, text=True, check=False,
                          capture_output=True)
    return done.returncode, done.stdout, done.stderr


def commands_of(program):
    """Returns the names of the program's commands, in the order of its help."""
    code, out, errors = output_of([program, '--help=commands'])
    if code:
        raise ManualFailed(errors)
    return out.split()


def roff_of(program, command=None):
    """Returns the manual page of a command, or that of the program."""
    page = 'man' if command is None else f'man-{command}'
    code, out, errors = output_of([program, f'--help={page}'])
    if code:
        raise ManualFailed(errors)
    return out


def name_of(command=None):
    return 'ashlar.1' if command is None else f'ashlar-{command}.1'


def lint(name, roff):
    """Raises ManualFailed if mandoc warns. A page has no date, so that equal
    sources make equal pages."""
    _, found, _ = output_of(['mandoc', '-Tlint', '-Wwarning'], roff)
    faults = [line for line in found.splitlines()
              if 'missing date' not in line and 'normalizing date' not in line]
    if faults:
        raise ManualFailed('\n'.join(f'{name}: {line}' for line in faults))


def to_html(name, roff, known):
    """Returns the page as HTML, with links to the pages in `known`."""
    code, out, errors = output_of(['mandoc', '-Thtml', '-Ofragment'], roff)
    if code:
        raise ManualFailed(f'{name}: {errors}')

    def link(match):
        page = f'{match[1]}.1'
        return (f'<a href="{page}.html">{match[0]}</a>'
                if page in known and page != name else match[0])
    # The page has a title of its own, so that sections are one level down.
    for level in (2, 1):
        out = re.sub(rf'(</?)h{level}\b', rf'\1h{level + 1}', out)
    return REFERENCE.sub(link, out)
