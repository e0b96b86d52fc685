"""docker-compose.yml is valid, and names only commands, settings, ports and routes that turnfold has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
import typer
import yaml

from turnfold.cli.app import app
from turnfold.settings import Settings
from turnfold_api.app import create_app

ROOT = Path(__file__).parents[3]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ["api", "worker", "beat"]
PREFIX = "TURNFOLD_"

DURATION: dict[str, Any] = {"type": "string", "pattern": r"^(\d+(ms|s|m|h))+$"}
STRINGS: dict[str, Any] = {"type": "array", "items": {"type": "string"}, "minItems": 1}
# What we use of the Compose specification; a misspelt or unknown key is refused.
HEALTHCHECK: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "test": {**STRINGS, "prefixItems": [{"enum": ["CMD", "CMD-SHELL"]}], "minItems": 2},
        "interval": DURATION,
        "timeout": DURATION,
        "start_period": DURATION,
        "retries": {"type": "integer", "minimum": 1},
        "disable": {"type": "boolean"},
    },
    "oneOf": [{"required": ["test"]}, {"required": ["disable"]}],
}
SERVICE: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["image", "command"],
    "properties": {
        "image": {"type": "string"},
        "build": {
            "type": "object",
            "additionalProperties": False,
            "required": ["context", "dockerfile"],
            "properties": {"context": {"type": "string"}, "dockerfile": {"type": "string"}},
        },
        "command": STRINGS,
        "environment": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
        "depends_on": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "required": ["condition"],
                "properties": {"condition": {"enum": ["service_started", "service_healthy"]}},
            },
        },
        "ports": {"type": "array", "items": {"type": "string", "pattern": r"^\d+:\d+$"}},
        "volumes": {"type": "array", "items": {"type": "string", "pattern": r"^[\w-]+:/\S+$"}},
        "healthcheck": HEALTHCHECK,
        "init": {"type": "boolean"},
        "restart": {"enum": ["no", "always", "on-failure", "unless-stopped"]},
        "cap_drop": STRINGS,
        "security_opt": STRINGS,
        "stop_grace_period": DURATION,
    },
}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "additionalProperties": False,
    "patternProperties": {"^x-": {}},
    "required": ["services"],
    "properties": {
        "services": {"type": "object", "additionalProperties": SERVICE},
        "volumes": {"type": "object", "additionalProperties": {"type": "null"}},
    },
}


def _options(command: str) -> Mapping[str, Any]:
    """The options of a turnfold command, by each of their names."""
    group: Any = typer.main.get_command(app)
    return {name: option for option in group.commands[command].params for name in option.opts}


def _health_path() -> str:
    found = re.search(r"http://127\.0\.0\.1:8400(/\w+)", " ".join(SERVICES["api"]["healthcheck"]["test"]))
    assert found
    return found[1]


def test_the_file_is_valid() -> None:
    jsonschema.validate(COMPOSE, SCHEMA)


def test_every_volume_and_dependency_is_declared() -> None:
    volumes = {volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", ())}
    dependencies = {name for service in SERVICES.values() for name in service.get("depends_on", ())}

    assert volumes == set(COMPOSE["volumes"])
    assert dependencies <= set(SERVICES)


@pytest.mark.parametrize("service", OURS)
def test_every_part_runs_its_own_turnfold_command_with_options_that_exist(service: str) -> None:
    program, command, *arguments = SERVICES[service]["command"]

    assert (program, command) == ("turnfold", service)
    assert {argument for argument in arguments if argument.startswith("-")} <= set(_options(command))


@pytest.mark.parametrize("service", OURS)
def test_every_variable_is_a_setting(service: str) -> None:
    names = SERVICES[service]["environment"]

    assert all(name.startswith(PREFIX) for name in names)
    assert {name.removeprefix(PREFIX).lower() for name in names} <= set(Settings.model_fields)


def test_the_api_listens_on_the_default_port_of_the_command_line() -> None:
    default = _options("api")["--port"].default

    assert SERVICES["api"]["ports"] == [f"{default}:{default}"]
    assert SERVICES["api"]["command"][-2:] == ["--port", str(default)]


async def test_the_api_is_healthy_when_a_route_that_it_has_says_so() -> None:
    # without a store the answer is "not ready", or an error; a route that is not there would be a 404
    transport = httpx.ASGITransport(create_app(Settings()), raise_app_exceptions=False)

    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answer = await client.get(_health_path())

    assert answer.status_code != httpx.codes.NOT_FOUND


def test_the_api_does_not_start_without_keys_because_it_binds_more_than_loopback() -> None:
    assert SERVICES["api"]["environment"]["TURNFOLD_API_KEYS"].startswith("${TURNFOLD_API_KEYS:?")


@pytest.mark.parametrize("service", OURS)
def test_every_part_waits_for_a_healthy_store_and_keeps_broker_and_store_apart(service: str) -> None:
    environment = SERVICES[service]["environment"]

    assert SERVICES[service]["depends_on"]["redis"]["condition"] == "service_healthy"
    assert environment["TURNFOLD_REDIS_URL"] != environment["TURNFOLD_BROKER_URL"]


@pytest.mark.parametrize("service", OURS)
def test_settings_of_the_model_stay_unset_where_the_shell_sets_none(service: str) -> None:
    optional = {name: value for name, value in SERVICES[service]["environment"].items() if "OPENAI" in name}

    assert optional
    assert set(optional.values()) == {None}


def test_the_store_keeps_what_it_was_given() -> None:
    redis = SERVICES["redis"]
    options = dict(zip(redis["command"][1::2], redis["command"][2::2], strict=True))

    assert options == {"--appendonly": "yes", "--maxmemory-policy": "noeviction"}
    assert redis["volumes"] == ["redis-data:/data"]
    assert "redis-cli ping" in redis["healthcheck"]["test"][1]


def test_workers_can_be_scaled_and_have_time_to_finish() -> None:
    worker = SERVICES["worker"]

    assert not {"container_name", "ports"} & set(worker)
    assert int(worker["stop_grace_period"].removesuffix("s")) >= 60
