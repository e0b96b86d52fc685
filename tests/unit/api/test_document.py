from __future__ import annotations

from typing import Any

import httpx
import jsonschema

from tests.unit.api.chat import append, chat, do_jobs
from turnfold.service import TurnfoldService


async def document(client: httpx.AsyncClient) -> dict[str, Any]:
    made: dict[str, Any] = (await client.get("/openapi.json")).json()
    return made


async def test_every_operation_has_an_id_a_tag_a_sentence_and_its_errors(client: httpx.AsyncClient) -> None:
    made = await document(client)
    operations = [one for methods in made["paths"].values() for one in methods.values()]

    ids = [one["operationId"] for one in operations]
    assert len(set(ids)) == len(ids)
    known = {tag["name"] for tag in made["tags"]}
    for one in operations:
        assert set(one["tags"]) <= known
        assert one["description"]
        for status, answer in one["responses"].items():
            if status >= "400":
                shape = "application/json" if one["tags"] == ["proxy"] else "application/problem+json"
                assert list(answer["content"]) == [shape]
    guarded = {path for path, methods in made["paths"].items() if all("security" in one for one in methods.values())}
    assert guarded == {path for path in made["paths"] if "/v1/" in path}


async def test_bodies_are_described(client: httpx.AsyncClient) -> None:
    paths = (await document(client))["paths"]

    for path, method, required in [("/v1/sessions", "post", False), ("/v1/compact", "post", True)]:
        body = paths[path][method]["requestBody"]
        assert body["required"] is required
        assert body["content"]["application/json"]["schema"]["additionalProperties"] is False


async def test_answers_are_as_the_document_says(client: httpx.AsyncClient, service: TurnfoldService) -> None:
    made = await document(client)
    await append(client, "a", 12)
    await do_jobs(service)
    policy = {"strategy": "truncation", "max_messages": 1}
    job_id = (await client.get("/v1/jobs")).json()["jobs"][0]["id"]
    for method, path, body in [
        ("POST", "/v1/sessions", {}),
        ("GET", "/v1/sessions", None),
        ("GET", "/v1/sessions/{session_id}", None),
        ("PATCH", "/v1/sessions/{session_id}", {"ttl_seconds": 9}),
        ("POST", "/v1/sessions/{session_id}/messages", {"messages": chat(2)}),
        ("GET", "/v1/sessions/{session_id}/messages", None),
        ("GET", "/v1/sessions/{session_id}/context", None),
        ("GET", "/v1/sessions/{session_id}/groups", None),
        ("POST", "/v1/sessions/{session_id}/compactions", None),
        ("GET", "/v1/jobs", None),
        ("GET", "/v1/jobs/{job_id}", None),
        ("POST", "/v1/compact", {"messages": chat(3), "policy": policy}),
        ("POST", "/v1/compact", {"messages": chat(3), "policy": policy, "format": "anthropic", "system": "Be brief."}),
        ("GET", "/livez", None),
        ("GET", "/readyz", None),
        ("PATCH", "/v1/sessions/{session_id}", {"x": 1}),
        ("POST", "/v1/sessions", {"id": "a"}),
    ]:
        url = path.replace("{session_id}", "a").replace("{job_id}", job_id)
        more: dict[str, Any] = {} if body is None else {"json": body}
        answer = await client.request(method, url, **more)
        told = made["paths"][path][method.lower()]["responses"][str(answer.status_code)]["content"]
        schema = told[answer.headers["content-type"]]["schema"]
        validator: Any = jsonschema.Draft202012Validator({**schema, "components": made["components"]})
        validator.validate(answer.json())


async def test_no_page_of_documentation_loads_parts_from_outside(client: httpx.AsyncClient) -> None:
    for url in ("/docs", "/redoc"):
        assert (await client.get(url)).status_code == 404
