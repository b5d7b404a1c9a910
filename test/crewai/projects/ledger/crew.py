import sqlite3
import time

from crewai import Agent, Crew, Task

# Two processes cannot use it at once.
database = sqlite3.connect("ledger.db")
database.execute("CREATE TABLE IF NOT EXISTS written (text)")


def note(output):
    """Only looks at the output, and so gives nothing back."""
    with database:
        database.execute("INSERT INTO written VALUES (?)", (output.raw,))


class Ledger:
    """Does without @CrewBase."""

    def crew(self) -> Crew:
        clerk = Agent(role="Clerk", goal="Write", backstory="You write.")
        task = Task(description=f"Write about {{topic}} at {time.time()}", expected_output="A text", agent=clerk)
        return Crew(agents=[clerk], tasks=[task], after_kickoff_callbacks=[note])
