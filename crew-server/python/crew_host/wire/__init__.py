"""How the crew server, the host and its children talk."""
