"""What a server answers, as far as commands show it; what else an answer holds is ignored.

Closed sets that a server may add to are texts here: an older command line still shows them.
"""
