"""Storage: typed models, connections and migrations for SQLite and PostgreSQL. Shape and constraints only."""
