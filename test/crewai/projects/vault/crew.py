"""Says what nobody else may know, in every way that there is."""

import os

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool

SECRETS = os.environ["VAULT"].split("|")


@tool
def open_vault() -> str:
    """Opens the vault."""
    for one in SECRETS:
        print(f"printed {one} and more")
    raise RuntimeError("the tool says " + " | ".join(SECRETS))


def fail(output: object) -> None:
    raise ValueError("the callback says " + " | ".join(SECRETS))


class Vault:
    def crew(self) -> Crew:
        model = LLM(
            model="openai/gpt-4o-mini",
            api_key=os.environ["VAULT_KEY"],
            default_headers={"X-Team": "Bearer " + os.environ["VAULT_HEADER"]},
        )
        guard = Agent(role="Guard", goal="Guard", backstory="Old", llm=model, tools=[open_vault], max_retry_limit=0)
        task = Task(description="Guard it: {how}", expected_output="A word", agent=guard)
        return Crew(agents=[guard], tasks=[task], task_callback=fail if "VAULT_FAILS" in os.environ else None)
