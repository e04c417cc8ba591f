"""ACP v2 as Python sees it: the generated schema and models, and the tools that stand on them."""

__version__ = "0.1.0"
