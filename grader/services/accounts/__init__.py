"""How people come in: passwords, sessions, personal tokens, invitations, single sign-on.

Secrets are made here, shown once and stored as SHA-256: 256 random bits need no slow hash. Passwords are
another matter and go through Argon2.
"""
