"""All that is done with CrewAI: describes a crew or a flow, runs it, leaves it at a question, and continues there."""
