"""ACP v2 for Python: the generated schema files, and the tools that stand on them."""

__version__ = "0.1.0"
