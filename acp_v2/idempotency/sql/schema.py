"""The tables as the newest version of the store has them; how older ones get there is in `migrations`.

Names begin with `acp_`, so that the store can live in a database that has other tables.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Double, LargeBinary, MetaData, Table, Text

METADATA: Final = MetaData()

SESSIONS: Final = Table(
    "acp_sessions",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("cwd", Text, nullable=False),
    Column("title", Text),
    Column("created", Double, nullable=False),
    Column("updated", Double, nullable=False),
)

MESSAGES: Final = Table(
    "acp_messages",
    METADATA,
    Column("sequence", BigInteger, primary_key=True),
    Column("session_id", Text, nullable=False),
    Column("id", Text, nullable=False),
    Column("role", Text, nullable=False),
    # Text and not the database's JSON, which would lose the order of keys and cannot hold every string.
    Column("content", Text, nullable=False),
    # Bytes and not text: compared as sent, whatever the database's collation, and a key may have a NUL in it.
    Column("key", LargeBinary),
    Column("added", Double),
)
