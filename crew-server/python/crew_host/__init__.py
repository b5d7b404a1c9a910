"""Runs a CrewAI project for the crew server: imports it once, and forks a child for each execution."""
