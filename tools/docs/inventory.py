"""Asks Doxygen which public names the headers have.

Doxygen parses the headers as a compiler would, without looking at comments;
header_scan.py reads them as people do. reference.py fails if a name that
Doxygen has found has no text there.
"""

import dataclasses
import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree

# Names in these namespaces are not for users, although headers need them.
INTERNAL = 'internal'

SETTINGS = '''
PROJECT_NAME = Ashlar
INPUT = {headers}
STRIP_FROM_PATH = {root}
OUTPUT_DIRECTORY = {out}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
EXTRACT_PRIVATE = NO
EXTRACT_STATIC = YES
HIDE_FRIEND_COMPOUNDS = YES
ENABLE_PREPROCESSING = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = ASHLAR_EXPORT= __cplusplus
SEARCH_INCLUDES = NO
EXTENSION_MAPPING = h=C++
QUIET = YES
WARNINGS = YES
WARN_AS_ERROR = FAIL_ON_WARNINGS
'''


@dataclasses.dataclass(frozen=True)
class Name:
    """A public name: ashlar::TableReader::Get, and where it is declared."""
    full: str
    path: str
    line: int


class DoxygenFailed(Exception):
    """What Doxygen complained about."""


def run_doxygen(root, headers, out):
    settings = os.path.join(out, 'settings')
    with open(settings, 'w', encoding='utf-8') as f:
        f.write(SETTINGS.format(
            root=root, out=out,
            headers=' '.join(os.path.join(root, path) for path in headers)))
    done = subprocess.run(['doxygen', settings], text=True, check=False,
                          capture_output=True)
    if done.returncode or done.stderr.strip():
        raise DoxygenFailed(done.stderr)
    return os.path.join(out, 'xml')


def is_public(element):
    return element.get('prot', 'public') != 'private'


def full_name(compound):
    """Returns the name without the arguments of a specialisation."""
    return re.sub(r'\s*<.*>', '', compound.findtext('compoundname'))


def names_of(compound, root):
    full = full_name(compound)
    kind = compound.get('kind')
    if kind in ('class', 'struct', 'union') and is_public(compound):
        yield located(full, compound, root)
    prefix = '' if kind == 'file' else full + '::'
    for member in compound.iter('memberdef'):
        if not is_public(member) or member.get('kind') == 'friend':
            continue
        name = member.findtext('name')
        if member.get('kind') == 'define' or not name or name.startswith('@'):
            continue
        yield located(prefix + name, member, root)
        for value in member.iter('enumvalue'):
            yield Name(f'{prefix}{name}::{value.findtext("name")}',
                       *place(member, root))


def place(element, root):
    where = element.find('location')
    path = where.get('declfile') or where.get('file')
    line = int(where.get('declline') or where.get('line'))
    return os.path.relpath(os.path.join(root, path), root), line


def located(full, element, root):
    return Name(full, *place(element, root))


def public_names(root, headers, out):
    """Returns the public names of `headers`, sorted. Raises DoxygenFailed if
    Doxygen warns. `out` is an empty folder for what it writes."""
    xml = run_doxygen(root, headers, out)
    found, hidden = set(), {INTERNAL}
    for entry in sorted(os.listdir(xml)):
        if not entry.endswith('.xml') or entry == 'index.xml':
            continue
        tree = ElementTree.parse(os.path.join(xml, entry))
        for compound in tree.getroot().iter('compounddef'):
            if compound.get('kind') in ('class', 'struct', 'union',
                                        'namespace', 'file'):
                found.update(names_of(compound, root))
                if not is_public(compound):
                    hidden.add(full_name(compound))
    return sorted((name for name in found if not is_hidden(name.full, hidden)),
                  key=lambda name: (name.path, name.line, name.full))


def is_hidden(full, hidden):
    """Returns whether a name is in a namespace or class that is hidden."""
    parts = full.split('::')
    return INTERNAL in parts or any(
        '::'.join(parts[:n]) in hidden for n in range(1, len(parts)))
