"""A project: where it defines its crew or flow, how it is imported, and what its processes need."""
