"""The queue's processes: the only place that imports Celery. Thin over services."""
