"""The summarizer: whether its model can be asked. Nothing that costs anything is asked."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from turnfold.doctor.check import Check, place_of
from turnfold.errors import BadInput
from turnfold.jsonio import is_array, is_object
from turnfold.settings import Settings
from turnfold.wiring import build_summarizer

MODEL = "model"
OPENAI = "https://api.openai.com/v1"
TIMEOUT_SECONDS = 5.0


async def model_check(settings: Settings) -> Check:
    """The summarizer, and the server of its model."""
    name = settings.summarizer_name
    try:
        build_summarizer(name, settings)
    except BadInput as error:
        return Check(MODEL, f"the summarizer {name} can't be made", f"{error.path} {error.message}")
    if name == "extractive":
        return Check(MODEL, "extractive: summaries are quoted by rule, no model is asked")
    if name != "openai":
        return Check(MODEL, f"the summarizer {name} was made")
    return await asyncio.to_thread(_ask, settings)


def _ask(settings: Settings) -> Check:
    """Asks which models there are, which every server that speaks Chat Completions can tell for nothing."""
    url = (settings.openai_base_url or OPENAI).rstrip("/")
    key = settings.openai_api_key
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
    place, model = place_of(url), str(settings.summary_model)
    try:
        with urlopen(Request(f"{url}/models", headers=headers), timeout=TIMEOUT_SECONDS) as answer:
            return _listed(place, model, json.loads(answer.read()))
    except HTTPError as error:
        return _refused(place, error.code)
    except (URLError, OSError) as error:
        why = getattr(error, "reason", None) or error
        return Check(MODEL, f"{place} does not answer: {why}", "see that TURNFOLD_OPENAI_BASE_URL is right, and runs")
    except ValueError:
        return Check(MODEL, f"{place} answers; which models it has, it does not tell")


def _refused(place: str, status: int) -> Check:
    if status in (401, 403):
        return Check(MODEL, f"{place} refuses the key ({status})", "set TURNFOLD_OPENAI_API_KEY")
    if status in (404, 405):
        return Check(MODEL, f"{place} answers; which models it has, it does not tell")
    return Check(MODEL, f"{place} answers {status}", "see the log of that server; jobs are tried again meanwhile")


def _listed(place: str, model: str, answer: Any) -> Check:
    found = answer.get("data") if is_object(answer) else None
    names = [str(one.get("id")) for one in found if is_object(one)] if is_array(found) else []
    if names and model not in names:
        some = ", ".join(sorted(names)[:5])
        return Check(MODEL, f"{place} has no model {model}", f"set TURNFOLD_SUMMARY_MODEL to one that it has: {some}")
    return Check(MODEL, f"{model} at {place}")
