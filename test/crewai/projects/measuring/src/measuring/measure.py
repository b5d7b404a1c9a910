from crewai.flow.flow import Flow, listen, start
from pydantic import BaseModel


class State(BaseModel):
    asks: bool = False


class Measure(Flow[State]):
    @start()
    def shares(self):
        return {"tea": float("nan"), "mate": [float("inf"), 0.5]}

    @listen(shares)
    def pairs(self):
        return {("tea", "mate"): 1}

    @listen(pairs)
    def ask(self):
        return input("How many? ") if self.state.asks else "three"
