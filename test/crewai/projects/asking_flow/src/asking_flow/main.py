from asking_flow.inner import InnerFlow
from crewai.flow import Flow, human_feedback, listen, router, start


class AskingFlow(Flow):
    @start()
    def greet(self):
        return "Hello"

    @router(greet)
    def choose(self):
        return self.state["way"]

    @listen("terminal")
    def find_topic(self):
        return self.ask("What is it about?")

    @listen("prompts")
    def read_lines(self):
        return [input("What is it about? "), input()]

    @listen("flow")
    def start_another(self):
        return InnerFlow().kickoff()

    @listen("persons")
    @human_feedback(message="Is the first one good?")
    def first(self):
        return 1

    @listen("persons")
    @human_feedback(message="Is the second one good?")
    def second(self):
        return 2


def kickoff():
    AskingFlow().kickoff(inputs={"way": "terminal"})
