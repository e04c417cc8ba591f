"""What `SqlStore` is made of: its schema, how it talks to SQLite and PostgreSQL, and how claims are kept in each."""
