"""The sealed launcher: a warm zygote that forks boxes, and the layers around each. Linux only."""
