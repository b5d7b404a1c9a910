"""The host's children, as processes: started, read, ended."""
