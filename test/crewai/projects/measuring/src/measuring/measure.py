from crewai.flow.flow import Flow, listen, start


class Measure(Flow):
    @start()
    def shares(self):
        return {"tea": float("nan"), "mate": [float("inf"), 0.5]}

    @listen(shares)
    def pairs(self):
        return {("tea", "mate"): 1}

    @listen(pairs)
    def count(self):
        return "three"
