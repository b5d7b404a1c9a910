from measuring.measure import Measure as MeasureFlow


def kickoff():
    MeasureFlow().kickoff()


if __name__ == "__main__":
    kickoff()
