"""How a session store is, for those who run it: whether it answers, and what would lose or refuse sessions."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class StoreHealth:
    """What a store says of itself.

    Attributes:
        reachable: it answered.
        problems: sentences for operators, each naming the setting and the mend; none where all is well.
        details: what was read off the server: `version`, `maxmemory_policy`, `used_memory_bytes`, `max_memory_bytes`
            (0: no limit), `full`, `appendonly`, `role`; a server that keeps something to itself leaves it out.
    """

    reachable: bool
    problems: tuple[str, ...] = ()
    details: dict[str, object] = field(default_factory=dict[str, object])
