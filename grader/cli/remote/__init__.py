"""Commands that talk to a server over its JSON API: nothing here knows a database, and it starts quickly."""
