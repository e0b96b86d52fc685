from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.unit.api.chat import append, log_lines, problem
from turnfold import errors
from turnfold.service import TurnfoldService
from turnfold.sessions.memory_store import MemoryStore
from turnfold.sessions.store_health import StoreHealth
from turnfold_api import errors as api_errors
from turnfold_api.problems import INTERNAL, KINDS, kind_of

# There is always an answer, be it an empty one.
LISTS = {("GET", "/v1/sessions"), ("GET", "/v1/jobs"), ("GET", "/v1/usage")}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
PLACES = {"{session_id}": "none", "{job_id}": "none"}


async def operations(client: httpx.AsyncClient) -> list[tuple[str, str]]:
    """All but those of the proxy, whose errors have the shape of another API."""
    paths = (await client.get("/openapi.json")).json()["paths"]
    return [
        (method.upper(), path) for path in paths for method, said in paths[path].items() if said["tags"] != ["proxy"]
    ]


def filled(path: str) -> str:
    for place, value in PLACES.items():
        path = path.replace(place, value)
    return f"{path}?q=x" if path.endswith("/search") else path


async def test_every_route_answers_what_is_wrong_by_a_problem(client: httpx.AsyncClient) -> None:
    wrong = {"content": b'{"surprise": ', "headers": {"Content-Type": "application/json"}}
    for method, path in await operations(client):
        if path in ("/livez", "/readyz", "/metrics") or (method, path) in LISTS:
            continue
        more: dict[str, Any] = {} if method in ("GET", "DELETE") else wrong
        answer = await client.request(method, filled(path), **more)
        if path.endswith("/compactions") or method in ("POST", "PATCH"):
            problem(answer, 400, "unparsable-json")
        else:
            problem(answer, 404, "not-found")


async def test_every_path_refuses_what_it_does_not_offer_and_says_what_it_does(client: httpx.AsyncClient) -> None:
    offered: dict[str, set[str]] = {}
    for method, path in await operations(client):
        offered.setdefault(path, set()).add(method)
    for path, methods in offered.items():
        allowed: set[str] = methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
        for method in set(METHODS) - methods:
            answer = await client.request(method, filled(path))
            problem(answer, 405, "method-not-allowed")
            assert set(answer.headers["allow"].split(", ")) == allowed
        options = await client.options(filled(path))
        assert (options.status_code, set(options.headers["allow"].split(", "))) == (204, allowed)


async def test_every_route_says_that_the_store_is_out_of_reach(
    client: httpx.AsyncClient, service: TurnfoldService
) -> None:
    service.store = broken_store(errors.Unavailable())
    await _broken(client, 503, "unavailable")


async def test_every_route_answers_a_fault_of_the_server_without_telling_it(
    client: httpx.AsyncClient, service: TurnfoldService, caplog: pytest.LogCaptureFixture
) -> None:
    service.store = broken_store(RuntimeError("secret"))
    await _broken(client, 500, "internal-error")
    assert {line["level"] for line in log_lines(caplog) if line["event"] == "http.failed"} == {"ERROR"}


def broken_store(error: Exception) -> Any:
    """Raises the error whatever is asked of it."""

    async def fail(*_: object, **__: object) -> None:
        raise error

    class Broken:
        def __getattr__(self, name: str) -> Any:
            return fail

    return Broken()


async def _broken(client: httpx.AsyncClient, status: int, slug: str) -> None:
    bodies: dict[str, Any] = {"/messages": {"messages": [{"role": "user", "content": "x"}]}}
    for method, path in await operations(client):
        if path in ("/livez", "/v1/compact") or (path, status) == ("/metrics", 503):  # tells that the store is away
            continue
        url = filled(path).replace("/jobs/none", "/jobs/007-00000000000000000000")
        body = bodies.get(path[path.rfind("/") :], {}) if method == "POST" else {"ttl_seconds": 5}
        more: dict[str, Any] = {} if method in ("GET", "DELETE") else {"json": body}
        answer = await client.request(method, url, **more)
        assert "secret" not in problem(answer, status, slug)["detail"]
        assert answer.headers.get("retry-after") == ("1" if status == 503 else None)


@pytest.mark.parametrize("url", ["/", "/v1", "/v1/sessions/", "/v2/sessions", "/v1/sessions/a/b/c", "//"])
async def test_a_path_that_there_is_not_is_a_problem(client: httpx.AsyncClient, url: str) -> None:
    problem(await client.get(url), 404, "not-found")


async def test_head_answers_like_get_without_the_body(client: httpx.AsyncClient) -> None:
    await append(client, "a", 1)

    for url in ("/v1/sessions/a", "/v1/sessions/a/messages", "/v1/sessions/none", "/livez", "/openapi.json"):
        head, get = await client.head(url), await client.get(url)
        assert (head.status_code, head.content) == (get.status_code, b"")
        same = ("content-type", "content-length", "etag")
        assert [head.headers.get(name) for name in same] == [get.headers.get(name) for name in same]


async def test_a_store_that_does_not_answer_is_not_ready(
    client: httpx.AsyncClient, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang() -> None:
        raise TimeoutError

    monkeypatch.setattr(store, "health", hang)

    answer = await client.get("/readyz")

    problem(answer, 503, "unavailable")
    assert answer.headers["retry-after"] == "1"
    assert (await client.get("/livez")).status_code == 200


async def test_a_store_that_is_out_of_reach_is_not_ready(
    client: httpx.AsyncClient, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away() -> StoreHealth:
        return StoreHealth(False, ("the store at redis://127.0.0.1:1 does not answer",))

    monkeypatch.setattr(store, "health", away)

    problem(await client.get("/readyz"), 503, "unavailable")


async def test_what_operators_should_mend_is_told_by_a_server_that_is_ready(
    client: httpx.AsyncClient, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    mend = "maxmemory-policy is allkeys-lru and would lose sessions: set noeviction"

    async def unwell() -> StoreHealth:
        return StoreHealth(True, (mend,))

    monkeypatch.setattr(store, "health", unwell)

    answer = await client.get("/readyz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ready", "problems": [mend]})


@pytest.mark.parametrize("module", [errors, api_errors])
def test_every_error_that_a_request_can_meet_has_a_kind(module: Any) -> None:
    names: list[Any] = list(module.__dict__.values())
    found = [one for one in names if isinstance(one, type) and issubclass(one, errors.TurnfoldError)]
    unmapped = {one.__name__ for one in found if not any(cls in KINDS for cls in one.__mro__)}

    in_workers_alone = {"SummarizerError", "SummarizerTransient", "SummarizerDeferred", "SummarizerRefused"}
    assert unmapped <= {"TurnfoldError", *in_workers_alone}


def test_the_most_special_kind_counts() -> None:
    assert kind_of(errors.PolicyError("a", "b")).slug == "invalid-policy"
    assert kind_of(errors.RevisionMismatch()).status == 412
    assert kind_of(ValueError()) is INTERNAL
