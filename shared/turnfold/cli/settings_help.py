"""The settings in `turnfold --help`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer.core import TyperGroup

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

WHERE = "Settings are variables of the environment: `turnfold --help` lists them."


class GroupWithSettings(TyperGroup):
    """Commands whose help ends with the settings that they read."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, formatter)
        with formatter.section("Settings (variables of the environment)"):
            formatter.write_dl(settings_table())


def settings_table() -> list[tuple[str, str]]:
    """Each variable, with its meaning and its default."""
    from turnfold.settings import Settings, variable_of

    return [
        (variable_of(name), f"{field.description}{_default(field)}") for name, field in Settings.model_fields.items()
    ]


def _default(field: FieldInfo) -> str:
    value = field.default
    if isinstance(value, bool):
        value = str(value).lower()
    if isinstance(value, float):
        value = f"{value:g}"
    return f" [default: {value}]" if isinstance(value, (str, int)) and value != "" else ""
