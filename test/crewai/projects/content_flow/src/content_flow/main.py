from content_flow.crews.content_crew.content_crew import ContentCrew
from crewai.flow import Flow, listen, start
from crewai.flow.persistence import persist
from pydantic import BaseModel, Field


class ContentState(BaseModel):
    topic: str = Field(default="", description="What the post is about")
    words: int = 100
    strict: bool = False
    tags: list[str] = []
    style: dict[str, str] | None = None
    final_post: str = ""


@persist()
class ContentFlow(Flow[ContentState]):
    """Plans and writes a post."""

    @start()
    def plan_content(self, crewai_trigger_payload: dict | None = None):
        """Find a topic"""
        if crewai_trigger_payload:
            self.state.topic = crewai_trigger_payload.get("topic", "")
        return self.state.topic

    @listen(plan_content)
    def generate_content(self):
        """Have a crew write the post"""
        result = ContentCrew().crew().kickoff(inputs={"topic": self.state.topic})
        self.state.final_post = result.raw
        return result

    @listen(generate_content)
    def save_content(self):
        return {"post": self.state.final_post, "words": self.state.words, "tags": self.state.tags}


def kickoff():
    ContentFlow().kickoff()


if __name__ == "__main__":
    kickoff()
