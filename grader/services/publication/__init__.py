"""Publishing by upload: a folder comes as a zip, a worker runs its gate, and a version comes of it or not."""
