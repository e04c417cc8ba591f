"""Generates the ACP v2 schema, docs and Python bindings from the registry in ``spec/``."""
