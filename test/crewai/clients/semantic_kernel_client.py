"""Runs a crew as Semantic Kernel does: URL, token, the inputs as JSON, seconds to wait."""

import asyncio
import json
import sys

from aiohttp import ClientSession
from semantic_kernel.core_plugins.crew_ai.crew_ai_enterprise_client import CrewAIEnterpriseClient

url, token, inputs, seconds = sys.argv[1:5]

ENDS = ("SUCCESS", "FAILED", "FAILURE", "NOT_FOUND")


async def main() -> None:
    async with ClientSession() as session:
        # It opens a session of its own, but only if it is given one.
        client = CrewAIEnterpriseClient(url, token, session=session)
        async with client.session:
            await follow(client)


async def follow(client: CrewAIEnterpriseClient) -> None:
    expected = await client.get_inputs()
    kickoff = await client.kickoff(json.loads(inputs))
    states: list[str] = []
    for _ in range(int(seconds) * 10):
        status = await client.get_status(kickoff.kickoff_id)
        state = getattr(status.state, "name", str(status.state)).upper()
        if state not in states[-1:]:
            states.append(state)
        if state in ENDS:
            break
        await asyncio.sleep(0.1)
    said = {"inputs": expected.inputs, "states": states, "result": status.result}
    print(json.dumps(said | {"last_step": status.last_step}))


asyncio.run(main())
