"""Makes an agent's tool of crewai-tools run a crew: URL, token, the inputs as JSON, seconds to wait."""

import json
import sys

from crewai_tools import InvokeCrewAIAutomationTool
from pydantic import Field

url, token, inputs, seconds = sys.argv[1:5]
given = json.loads(inputs)
tool = InvokeCrewAIAutomationTool(
    crew_api_url=url,
    crew_bearer_token=token,
    crew_name="crew",
    crew_description="A crew that is deployed elsewhere",
    max_polling_time=int(seconds),
    crew_inputs={name: Field(..., description=name) for name in given},
)
print(json.dumps({"said": tool.run(**given)}))
