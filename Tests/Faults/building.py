"""Builds fixtures with the system's compiler."""

import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "..", "include")


def build(folder, name, flags, output=None):
    """Compiles NAME.c of this folder to a library, and returns its path."""
    path = os.path.join(folder, output or f"{name}.so")
    command = ["cc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-pthread"]
    subprocess.run([*command, "-I", INCLUDE, os.path.join(HERE, f"{name}.c"), "-o", path, *flags], check=True)
    return path
