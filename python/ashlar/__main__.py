"""Runs the program `ashlar` that is in the package: python -m ashlar."""

import os
import sys


def main():
    program = os.path.join(os.path.dirname(__file__), 'bin', 'ashlar')
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == '__main__':
    main()
