#!/usr/bin/env python3
"""Writes a list of what a build of Ashlar consists of: an SBOM in SPDX 2.3.

    sbom.py <the program ashlar> <output.spdx.json>

Libraries and licences come from dependencies.tsv, their versions from the
program, which knows its codecs, and from pkg-config. SOURCE_DATE_EPOCH sets the
time of creation; otherwise it is that of the last commit. Equal builds give
equal bytes.
"""

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

import versions

TABLE = os.path.join(os.path.dirname(__file__), 'dependencies.tsv')
LICENCE = 'Apache-2.0'
REQUIRED = ('spdxVersion', 'dataLicense', 'SPDXID', 'name',
            'documentNamespace', 'creationInfo', 'packages', 'relationships')
REQUIRED_OF_PACKAGE = ('SPDXID', 'name', 'versionInfo', 'downloadLocation',
                       'filesAnalyzed', 'licenseConcluded', 'licenseDeclared',
                       'copyrightText')
IDENTIFIER = re.compile(r'SPDXRef-[A-Za-z0-9.-]+')
EXPRESSION = re.compile(r'[A-Za-z0-9.+-]+(?: (?:OR|AND) [A-Za-z0-9.+-]+)*')


def output_of(*command):
    return subprocess.run(command, check=True, text=True,
                          capture_output=True).stdout.strip()


def read_table(path=TABLE):
    """Yields (library, where its version comes from, licence, homepage)."""
    with open(path, encoding='utf-8') as f:
        for line in f:
            if line.strip() and not line.startswith('#'):
                yield tuple(line.rstrip('\n').split('\t'))


def linked(program, table):
    """Yields (library, version, licence, homepage) of what is linked."""
    facts = json.loads(output_of(program, '--version', '--json'))
    # Whether the kernel allows io_uring is another question.
    has_uring = 'liburing' in output_of('readelf', '-d', program)
    for library, source, licence, homepage in table:
        if library == 'liburing' and not has_uring:
            continue
        if source.startswith('pkg:'):
            version = output_of('pkg-config', '--modversion', source[4:])
        elif source in facts['codec_versions']:
            version = facts['codec_versions'][source]
        else:
            continue  # a codec that this build does without
        yield library, version, licence, homepage


def package(name, version, licence, homepage):
    return {
        'SPDXID': f'SPDXRef-{name}',
        'name': name,
        'versionInfo': version,
        'supplier': 'NOASSERTION',
        'downloadLocation': 'NOASSERTION',
        'filesAnalyzed': False,
        'homepage': homepage or 'NOASSERTION',
        'licenseConcluded': licence,
        'licenseDeclared': licence,
        'copyrightText': 'NOASSERTION',
    }


def created():
    seconds = os.environ.get('SOURCE_DATE_EPOCH') or output_of(
        'git', '-C', versions.ROOT, 'log', '-1', '--format=%ct')
    when = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
    return when.strftime('%Y-%m-%dT%H:%M:%SZ')


def document(version, libraries, when):
    packages = [package('ashlar', version, LICENCE, None)]
    packages += [package(*library) for library in libraries]
    relationships = [('SPDXRef-DOCUMENT', 'DESCRIBES', 'SPDXRef-ashlar')]
    relationships += [('SPDXRef-ashlar', 'DEPENDS_ON', each['SPDXID'])
                      for each in packages[1:]]
    unique = hashlib.sha256(json.dumps([packages, when]).encode()).hexdigest()
    return {
        'spdxVersion': 'SPDX-2.3',
        'dataLicense': 'CC0-1.0',
        'SPDXID': 'SPDXRef-DOCUMENT',
        'name': f'ashlar-{version}',
        'documentNamespace':
            f'https://spdx.org/spdxdocs/ashlar-{version}-{unique[:32]}',
        'creationInfo': {'created': when,
                         'creators': ['Tool: ashlar-tools-release-sbom']},
        'packages': packages,
        'relationships': [
            {'spdxElementId': one, 'relationshipType': kind,
             'relatedSpdxElement': other}
            for one, kind, other in relationships],
    }


def faults_of(spdx):
    """Returns what is wrong with a document, as far as SPDX 2.3 asks for it."""
    faults = [f'the document has no {name}' for name in REQUIRED
              if not spdx.get(name)]
    if faults:
        return faults
    known = {spdx['SPDXID']}
    for each in spdx['packages']:
        name = each.get('name', '?')
        faults += [f'{name}: has no {field}' for field in REQUIRED_OF_PACKAGE
                   if each.get(field) in (None, '')]
        identifier = str(each.get('SPDXID'))
        if not IDENTIFIER.fullmatch(identifier):
            faults.append(f'{name}: {identifier} is no identifier')
        if identifier in known:
            faults.append(f'{name}: {identifier} is there twice')
        if not EXPRESSION.fullmatch(str(each.get('licenseDeclared'))):
            faults.append(f'{name}: its licence is no expression of SPDX')
        known.add(identifier)
    for each in spdx['relationships']:
        faults += [f'{each[end]}: no element has this identifier'
                   for end in ('spdxElementId', 'relatedSpdxElement')
                   if each[end] not in known]
    return faults


def main(program, out):
    spdx = document(versions.version_of(), linked(program, read_table()),
                    created())
    faults = faults_of(spdx)
    if faults:
        sys.exit('\n'.join(f'sbom: {fault}' for fault in faults))
    with open(out, 'w', encoding='utf-8') as f:
        json.dump(spdx, f, indent=2)
        f.write('\n')
    print(f'{out}: {len(spdx["packages"])} packages')


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
