"""The text of a construction, and Python that makes it, as the page's own modules have them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lib.transformer.construction import Construction, from_json, to_json

if TYPE_CHECKING:
    from playwright.sync_api import Page

READ = """async texts => {
  const { RowError, fromRows, toRows } = await import("./format.mjs");
  const { toPython } = await import("./python.mjs");
  const { position } = await import("./positions.mjs");
  return texts.map(text => {
    try {
      const json = fromRows(text, { checkPosition: position });
      return { json: JSON.stringify(json), rows: toRows(json), python: toPython(json) };
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      return { error: error.message, line: error.line };
    }
  });
}"""
WRITE = """async texts => {
  const { toRows } = await import("./format.mjs");
  const { toPython } = await import("./python.mjs");
  const known = texts.map(text => JSON.parse(text));
  return known.map(json => ({ rows: toRows(json), python: toPython(json) }));
}"""


def read(page: Page, text: str) -> Construction:
    """The construction that a text spells; ValueError, with its line, where it spells none."""
    [said] = page.evaluate(READ, [text])
    if "error" in said:
        assert said["error"].startswith(f"line {said['line']}: ") or said["line"] == 1
        raise ValueError(said["error"])
    return from_json(said["json"])


def write(page: Page, construction: Construction) -> str:
    """The text of a construction."""
    return page.evaluate(WRITE, [to_json(construction)])[0]["rows"]


def made(code: str) -> Construction:
    """What Python code makes."""
    names: dict = {}
    exec(code, names)
    return names["construction"]


def data(construction: Construction) -> dict:
    """A construction as its JSON has it, in which the order of names says nothing."""
    return json.loads(to_json(construction))
