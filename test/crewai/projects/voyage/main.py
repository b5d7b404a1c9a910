"""A flow with routers, joins, a loop and a crew inside, which writes down what it does."""

from crewai import Agent, Crew, Task
from crewai.flow.flow import Flow, and_, listen, or_, router, start
from pydantic import BaseModel


class Place(BaseModel):
    name: str


class State(BaseModel):
    topic: str = "Graz"
    rounds: int = 0
    seen: list[str] = []
    # As CrewAI's own examples have it.
    goal: Place = None
    fare: int | str = None


def note(what: str) -> None:
    with open("log.txt", "a") as file:
        file.write(f"{what}\n")


class Voyage(Flow[State]):
    @start()
    def begin(self) -> Place:
        note("begin")
        return Place(name=self.state.topic)

    @listen(begin)
    def pack(self, place: Place) -> str:
        note(f"pack for {place.name}")
        return "packed"

    @listen(begin)
    def book(self, place: Place) -> tuple[str, int]:
        note(f"book {place.name}")
        return (place.name, 2)

    @listen(and_(pack, book))
    def leave(self) -> str:
        note("leave")
        return "left"

    @router(or_(leave, "again"))
    def look(self) -> str:
        self.state.rounds += 1
        note(f"look {self.state.rounds}")
        return "walk" if self.state.rounds < 3 else "home"

    @listen("walk")
    def see(self) -> str:
        self.state.seen.append(f"sight {self.state.rounds}")
        note(f"see {self.state.rounds}")
        return "seen"

    @router(see)
    def more(self) -> str:
        return "again"

    @listen("home")
    def tell(self) -> str:
        guide = Agent(role="Guide", goal="Tell", backstory="Old")
        tasks = [
            Task(name=name, description=f"{name} what was seen: {self.state.seen}", expected_output="A text", agent=guide)
            for name in ("outline", "write", "print")
        ]
        return Crew(agents=[guide], tasks=tasks).kickoff().raw

    @listen(tell)
    def end(self, text: str) -> str:
        note("end")
        return f"{text}, {self.state.rounds} rounds, {', '.join(self.state.seen)}"
