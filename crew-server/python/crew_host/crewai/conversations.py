"""What models are asked. Each message is reported once, since every call repeats all the messages before it."""

from __future__ import annotations

from typing import Any


class Conversations:
    """The newest conversation of each worker."""

    def __init__(self) -> None:
        self._told: dict[str, list[Any]] = {}

    def news(self, worker: str, messages: Any) -> dict[str, Any]:
        """The messages that this worker has not sent before, and how many it sends again."""
        sent = messages if isinstance(messages, list) else [{"role": "user", "content": messages}]
        told = self._told.get(worker, [])
        repeated = len(told) if told and sent[: len(told)] == told else 0
        self._told[worker] = list(sent)
        fields: dict[str, Any] = {"messages": [_readable(one) for one in sent[repeated:]]}
        return {**fields, "repeated_messages": repeated} if repeated else fields

    def end(self, worker: str) -> None:
        """Forgets the conversation of a worker that has finished."""
        self._told.pop(worker, None)


def _readable(message: Any) -> Any:
    """A message with the texts of its content; an image is only mentioned."""
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        return message
    parts = [one if isinstance(one, dict) else {"text": str(one)} for one in message["content"]]
    texts = [str(one.get("text") or f"<{one.get('type') or 'part'}>") for one in parts]
    return {**message, "content": "\n".join(texts)}
