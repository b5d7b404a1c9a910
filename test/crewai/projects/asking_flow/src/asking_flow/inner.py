from crewai.flow import Flow, human_feedback, start


class InnerFlow(Flow):
    @start()
    @human_feedback(message="Is it good?")
    def write(self):
        return "A text"
