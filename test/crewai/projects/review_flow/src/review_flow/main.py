from crewai import LLM
from crewai.flow import Flow, and_, human_feedback, listen, or_, start
from pydantic import BaseModel


class ReviewState(BaseModel):
    topic: str = "Tea"
    drafts: int = 0


class ReviewFlow(Flow[ReviewState]):
    @start()
    def draft(self):
        """Draft a text"""
        self.state.drafts += 1
        text = LLM(model="gpt-4o-mini").call(f"Draft a text about {self.state.topic}")
        return f"{text} ({self.state.drafts})"

    @start()
    def research(self):
        """Look for sources, while the draft is written"""
        return {"sources": [LLM(model="gpt-4o-mini").call("Name a source")]}

    @listen(or_(draft, "revise"))
    @human_feedback(message="Is the draft good?", emit=["revise", "approved"], llm="gpt-4o-mini")
    def review(self, given):
        """Show the draft, in later rounds with what was said"""
        if self.state.drafts == 1 and not isinstance(given, str):
            self.state.drafts += 1
            return f"Draft with: {given.feedback}"
        return given if isinstance(given, str) else f"{given.output}, then: {given.feedback}"

    @listen("approved")
    def polish(self, given):
        return f"{given.output}, polished"

    @listen(and_(polish, research))
    @human_feedback(message="Anything to add?")
    def add(self, _given):
        return {"rounds": len(self.human_feedback_history)}

    @listen(add)
    def publish(self, given):
        history = [f"{one.method_name}: {one.feedback}" for one in self.human_feedback_history]
        return {"added": given.feedback, "output": given.output, "history": history, "topic": self.state.topic}


def kickoff():
    ReviewFlow().kickoff()
