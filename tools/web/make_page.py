"""Makes the page of tools/web: one HTML file with everything inside.

    tools/web/make_page.py <repository> <folder of the module> <version> <page>

Fails if the page is larger than 3 MB.
"""

import base64
import gzip
import hashlib
import html
import pathlib
import sys

MOST_BYTES = 3_000_000


def script_hash(script):
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def policy(scripts):
    """The page runs these scripts and its worker, and reaches no network."""
    hashes = " ".join(script_hash(script) for script in scripts)
    # The last two do not follow default-src, so they are named.
    return ("default-src 'none'; style-src 'unsafe-inline'; "
            f"script-src {hashes} 'wasm-unsafe-eval'; worker-src blob:; "
            "base-uri 'none'; form-action 'none'")


def main(repository, module_folder, version, page):
    folder = pathlib.Path(repository) / "tools"
    web = folder / "web"
    report = folder / "ashlar" / "page"
    module = pathlib.Path(module_folder)
    script = (web / "page.js").read_text()
    worker = ((module / "ashlar_module.js").read_text() +
              (web / "worker.js").read_text())
    wasm = (module / "ashlar_module.wasm").read_bytes()
    # Equal modules give equal pages: no time in the compressed one.
    packed = gzip.compress(wasm, 9, mtime=0)
    # The report's script runs in a frame of the page, under the same policy.
    report_script = "\n" + (report / "report_page.js").read_text()
    parts = {
        "POLICY": policy([script, report_script]),
        "STYLE": ((report / "report_page.css").read_text() +
                  (web / "page.css").read_text()),
        "VERSION": version,
        # The page contains the works of others that this file names.
        "NOTICE": html.escape((pathlib.Path(repository) / "NOTICE").read_text(),
                              quote=False),
        "WORKER": worker,
        "MODULE": base64.b64encode(packed).decode(),
        "SCRIPT": script,
    }
    for name, text in parts.items():
        if "</script" in text.lower() or "<!--" in text:
            sys.exit(f"make_page: {name} would end the element that it is in")
    made = (web / "page.html").read_text()
    for name, text in parts.items():
        made = made.replace(f"@{name}@", text, 1)
    if len(made.encode()) >= MOST_BYTES:
        sys.exit(f"make_page: the page has {len(made.encode())} bytes; at most "
                 f"{MOST_BYTES} are allowed")
    pathlib.Path(page).write_text(made)


if __name__ == "__main__":
    main(*sys.argv[1:])
