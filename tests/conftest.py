"""Tests keep compiled programs as commands do: thousands of them compile the same few hundred."""

from soloc.runs.compiled import keep_compiled

keep_compiled()  # before JAX is imported
