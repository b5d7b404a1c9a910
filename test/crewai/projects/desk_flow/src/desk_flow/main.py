from crewai import Agent, Crew, Task
from crewai.flow import Flow, listen, start


class DeskFlow(Flow):
    @start()
    def collect(self):
        return self.state.get("topic", "Tea")

    @listen(collect)
    def write(self, topic):
        writer = Agent(role="Writer", goal="Write", backstory="You write.")
        drafting = Task(
            name="drafting", description=f"Draft a text about {topic}", expected_output="A draft", agent=writer,
            human_input=True,
        )
        shortening = Task(name="shortening", description="Shorten it", expected_output="A text", agent=writer)
        return Crew(agents=[writer], tasks=[drafting, shortening]).kickoff()

    @listen(write)
    def finish(self, result):
        return f"{result.raw}!"


def kickoff():
    DeskFlow().kickoff()
