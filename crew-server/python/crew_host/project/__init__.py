"""A project: how its crew or flow is found and imported, and what its processes need."""
