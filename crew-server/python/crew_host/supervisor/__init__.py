"""The host's children, as processes: how they are started, read and ended."""
