"""What is done with CrewAI: how a crew or a flow is told, run, left at a question, and gone on with."""
