"""Each message to a model is reported once."""

from __future__ import annotations

from crew_host.crewai.conversations import Conversations

SYSTEM = {"role": "system", "content": "You are a writer"}
TASK = {"role": "user", "content": "Write about tea"}
CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1"}]}
RESULT = {"role": "tool", "content": "Page 7"}


def test_a_call_tells_what_the_calls_before_have_not() -> None:
    conversations = Conversations()
    assert conversations.news("task", [SYSTEM, TASK]) == {"messages": [SYSTEM, TASK]}
    # Another worker's call in between changes nothing.
    assert conversations.news("other", [SYSTEM]) == {"messages": [SYSTEM]}
    later = [SYSTEM, TASK, CALL, RESULT]
    assert conversations.news("task", later) == {"messages": [CALL, RESULT], "repeated_messages": 2}
    assert conversations.news("task", later) == {"messages": [], "repeated_messages": 4}


def test_another_conversation_is_told_from_its_beginning() -> None:
    conversations = Conversations()
    conversations.news("task", [SYSTEM, TASK])
    other = [SYSTEM, {"role": "user", "content": "Write about coffee"}, CALL]
    assert conversations.news("task", other) == {"messages": other}
    assert conversations.news("task", [SYSTEM]) == {"messages": [SYSTEM]}
    conversations.end("task")
    assert conversations.news("task", [SYSTEM, TASK]) == {"messages": [SYSTEM, TASK]}


def test_texts_are_told_and_images_are_named() -> None:
    content = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": "data:..."}}]
    news = Conversations().news("task", [{"role": "user", "content": content}])
    assert news == {"messages": [{"role": "user", "content": "What is it?\n<image_url>"}]}
    assert Conversations().news("task", "Hello") == {"messages": [{"role": "user", "content": "Hello"}]}
