"""One module per thing people do with the grader. Services know the database, but no Celery and no JAX."""
