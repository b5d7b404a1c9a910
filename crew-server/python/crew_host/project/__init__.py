"""A project: where it says what it is, how it is imported, and what its processes need."""
