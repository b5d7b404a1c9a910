from crewai.flow import Flow, human_feedback, listen, start
from crewai.flow.flow import FlowState
from crewai.flow.persistence import persist
from pydantic import BaseModel


class TalkState(BaseModel):
    said: str = "nothing"
    mood: str = "calm"
    heard: list[str] = []


@persist()
class Talk(Flow[TalkState]):
    """Remembers all that was said"""

    @start()
    def hear(self):
        if self.state.said == "silence":
            raise ValueError("There is nothing to hear")
        self.state.heard.append(self.state.said)

    @listen(hear)
    def answer(self):
        return self.state.model_dump()


class Notes(Flow):
    """Remembers what one of its methods has noted"""

    @start()
    def begin(self):
        if self.state.get("said") == "silence":
            raise ValueError("There is nothing to note")

    @persist()
    @listen(begin)
    def note(self):
        self.state["notes"] = [*self.state.get("notes", []), self.state["said"]]

    @listen(note)
    def fail(self):
        if self.state["said"] == "nonsense":
            raise ValueError("Too late to be forgotten")
        return dict(self.state)


class AskingState(FlowState):
    rounds: int = 0


@persist()
class Asking(Flow[AskingState]):
    """Asks a person whether a number is right"""

    @start()
    @human_feedback(message="Is that right?")
    def count(self):
        self.state.rounds += 1
        return str(self.state.rounds)

    @listen(count)
    def tell(self, given):
        return {"id": self.state.id, "rounds": self.state.rounds, "said": given.feedback}


class NumberedState(BaseModel):
    id: int = 7
    said: str = "nothing"


class Forgetful(Flow):
    """Keeps no state, and its id is a number of its own"""

    initial_state = NumberedState

    @start()
    def tell(self):
        return {"id": self.state.id, "said": self.state.said}


def kickoff():
    Talk().kickoff()
