"""Inputs lead no output file out of its folder."""

from __future__ import annotations

import pytest

from crew_host.crewai.output_files import leads_out


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("out/{topic}.md", "out/../../x.md"),
        ("out/{topic}.md", "out/../x.md"),
        ("out/{topic}.md", "out/../outside/x.md"),
        ("{topic}", "/etc/passwd"),
        ("{topic}", "~/x"),
        ("{topic}", "../x"),
        ("{topic}", "."),
        ("out/{topic}.md", "out/a\0.md"),
    ],
)
def test_refuses(template: str, filled: str) -> None:
    assert leads_out(template, filled)


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("out/{topic}.md", "out/tea.md"),
        ("out/{topic}.md", "out/green/tea.md"),
        ("out/{topic}.md", "out/a/../tea.md"),
        ("out/{topic}.md", "out/..tea.md"),
        ("report.md", "report.md"),
        ("{folder}/report.md", "here/report.md"),
    ],
)
def test_allows(template: str, filled: str) -> None:
    assert not leads_out(template, filled)
