#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a program in Python, and copies the modules of the standard library that it has imported
into a folder, compiled: all that it needs where there is no Python.

usage: gather.py FOLDER PROGRAM
"""

import os
import py_compile
import runpy
import shutil
import sys
import sysconfig


def gather(folder):
    """Copies what has been imported."""
    library = sysconfig.get_path("stdlib")
    for module in list(sys.modules.values()):
        source = os.path.abspath(getattr(module, "__file__", None) or "/")
        if os.path.commonpath([library, source]) != library:
            continue
        copy = os.path.join(folder, os.path.relpath(source, library))
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        if source.endswith(".py"):
            py_compile.compile(source, copy + "c", doraise=True,
                               invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        else:
            shutil.copy(source, copy)


def main():
    """Runs the program first."""
    _, folder, program = sys.argv
    sys.argv = [program]
    sys.dont_write_bytecode = True
    try:
        runpy.run_path(program, run_name="__main__")
    finally:
        gather(folder)


if __name__ == "__main__":
    main()
