"""Part of the driver: takes its own descriptors and references before any code of the project is loaded."""

SOURCE = r'''
import ast
import asyncio
import builtins
import cmath
import contextlib
import enum
import importlib
import inspect
import io
import itertools
import json
import math
import operator
import os
import re
import shutil
import statistics
import sys
import tempfile
import types
import warnings

os.environ.pop("PYTHONHASHSEED", None)  # it has done its work, and an ordinary program has none
read_text, read_state, walk_folders = io.open, os.stat, os.walk
MAX_FILES = 2000
write_descriptor, end_process = os.write, os._exit
join_path, parent_of, is_file, is_folder = os.path.join, os.path.dirname, os.path.isfile, os.path.isdir
parse_text, compile_tree, run_code = ast.parse, compile, exec
encode_json = json.dumps
find_pattern = re.search
PLAIN = (int, float, complex, str, bytes, bool, type(None))
NUMBERS = (int, float, complex)
INT_EQ = {kind: kind.__eq__ for kind in (*PLAIN, list, tuple, dict, set, frozenset)}
JUDGES = (
    "abs all any bool bytes callable dict divmod filter float frozenset getattr hasattr hash int isinstance issubclass "
    "iter len list map max min next open pow repr reversed round set sorted str sum tuple type vars zip"
).split()
ORIGINALS = [(builtins, name, getattr(builtins, name)) for name in JUDGES] + [
    (module, name, value)
    for module in (cmath, io, math, operator, statistics)
    for name, value in vars(module).items()
    if callable(value)
]


def put_back():
    """Restore the functions with which tests compare, if the project replaced them."""
    for module, name, value in ORIGINALS:
        if module.__dict__.get(name) is not value:
            module.__dict__[name] = value


class CannotRun(BaseException):
    """The driver does not support this."""


class Skip(BaseException):
    pass


class Failed(BaseException):
    pass


def open_output(mark):
    """Send results to the former standard output, without the output of the project."""
    private = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(nothing, number)
    os.close(nothing)

    def say(**line):
        write_descriptor(private, (mark + encode_json(line) + "\n").encode())

    return say


class Words:
    """Random names, each used once."""

    def __init__(self, words):
        self.words = words
        self.count = 0
        self.known = {}
        self.original = {}

    def new(self):
        self.count += 1
        turn, at = divmod(self.count - 1, len(self.words))
        return self.words[at] + ("_%d" % (turn + 1) if turn else "")

    def instead_of(self, name):
        if name not in self.known:
            self.known[name] = self.new()
            self.original[self.known[name]] = name
        return self.known[name]
'''
