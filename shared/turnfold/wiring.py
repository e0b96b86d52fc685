"""The one place where clients are built and parts are put together."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from turnfold.allowed_models import allowed_models
from turnfold.errors import BadInput, PolicyError
from turnfold.jobs.broker_url import chosen_broker_url
from turnfold.jobs.prices import Prices
from turnfold.jobs.queue import JobQueue
from turnfold.operations.erasure import erase_message
from turnfold.operations.recall import DEFAULT_LIMIT, search
from turnfold.operations.unfolding import unfold
from turnfold.policy import Policy
from turnfold.policy.argument import names_a_file, policy_from_argument
from turnfold.protection import build_redactor
from turnfold.recall.hit import Hit
from turnfold.service import TurnfoldService
from turnfold.sessions.provider import ModelLimits
from turnfold.sessions.redis_address import checked_address
from turnfold.sessions.redis_servers import is_several, servers_of
from turnfold.sessions.store import SessionStore
from turnfold.settings import Settings
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.openai import OpenAISummarizer
from turnfold.summaries.summarizer import Summarizer

if TYPE_CHECKING:
    from redis.asyncio import BlockingConnectionPool

    from turnfold.sessions.redis_connection import RedisConnection

STORE_TIMEOUT_SECONDS = 5.0
STORE_CONNECT_SECONDS = 1.0
# A process has so many at most, and opens them as it needs them.
STORE_CONNECTIONS = 100


def build_store(settings: Settings) -> SessionStore:
    """The session store. Made on the loop that uses it.

    Raises:
        BadInput: no address is set, or it is not one.
    """
    if not settings.redis_url:
        raise BadInput("TURNFOLD_REDIS_URL", "is not set; `turnfold up` brings a store of its own")
    from turnfold.sessions.redis_store import RedisStore

    client, beside = _client(checked_address(settings.redis_url))
    return RedisStore(client, beside=beside)


def _client(redis_url: str) -> tuple[Any, Sequence[Any]]:
    """A client of one server, of a cluster, or of the master that Sentinels name; and those that end with it."""
    from redis.asyncio import Redis

    if not is_several(redis_url):
        return Redis.from_pool(_connections(redis_url)), ()
    servers = servers_of(redis_url)
    named: dict[str, Any] = {
        "protocol": 2,
        "username": servers.username,
        "password": servers.password,
        "socket_timeout": STORE_TIMEOUT_SECONDS,
        "socket_connect_timeout": STORE_CONNECT_SECONDS,
        "health_check_interval": 15,
        "ssl": servers.tls,
    }
    if servers.kind == "cluster":
        from redis.asyncio.cluster import ClusterNode, RedisCluster

        return RedisCluster(startup_nodes=[ClusterNode(*host) for host in servers.hosts], **named), ()
    from redis.asyncio.sentinel import Sentinel

    # The Sentinels themselves are asked without the store's user.
    limits = {name: named[name] for name in ("socket_timeout", "socket_connect_timeout", "ssl")}
    make: Any = Sentinel  # its types are missing
    sentinel = make(servers.hosts, sentinel_kwargs=limits, db=servers.database, **named)
    return sentinel.master_for(servers.service), sentinel.sentinels


def build_connection(redis_url: str) -> RedisConnection:
    """A server that may be no store of ours, to ask how it is."""
    from redis.asyncio import Redis

    from turnfold.sessions.redis_connection import RedisConnection

    return RedisConnection(Redis.from_pool(_connections(redis_url)))


def _connections(redis_url: str) -> BlockingConnectionPool:
    """Connections to the store. A request waits for one that is free: the client's own pool would refuse it."""
    from redis.asyncio import BlockingConnectionPool
    from redis.asyncio.retry import Retry
    from redis.backoff import ExponentialBackoff

    # A socket of this machine is not kept alive: nothing stands between.
    keepalive = {} if redis_url.startswith("unix:") else {"socket_keepalive": True}
    try:
        pool = BlockingConnectionPool.from_url(
            redis_url,
            protocol=2,
            max_connections=STORE_CONNECTIONS,
            timeout=STORE_TIMEOUT_SECONDS,
            socket_timeout=STORE_TIMEOUT_SECONDS,
            socket_connect_timeout=STORE_CONNECT_SECONDS,
            health_check_interval=15,
            # One more try: a connection that the server has closed meanwhile is told by the first command on it.
            retry=Retry(ExponentialBackoff(cap=0.1, base=0.02), 1),
            **keepalive,
        )
        # Not opened: options of the address that a connection does not know are found out here.
        cast("Any", pool).make_connection()
    except (TypeError, ValueError) as error:
        raise BadInput("TURNFOLD_REDIS_URL", f"has an option that can't be used: {error}") from None
    return pool


def build_queue(settings: Settings) -> JobQueue:
    """The queue's producer."""
    from turnfold.jobs.celery_queue import CeleryQueue

    return CeleryQueue(chosen_broker_url(settings.broker_url, redis_url=settings.redis_url))


def build_policy(settings: Settings) -> Policy:
    """The policy of sessions without one of their own.

    Raises:
        BadInput: naming the setting, and what in it is wrong.
    """
    if not settings.policy:
        return Policy.default()
    try:
        return policy_from_argument(settings.policy)
    except PolicyError as error:
        file = f"{settings.policy}: " if names_a_file(settings.policy) else ""
        raise BadInput("TURNFOLD_POLICY", f"{file}{error.path}: {error.message}") from None


def build_prices(settings: Settings) -> Prices:
    """What tokens cost, as it is set."""
    return Prices(
        summary_input=settings.summary_input_price,
        summary_output=settings.summary_output_price,
        context_input=settings.context_input_price,
        context_cached=settings.context_cached_price,
    )


def build_limits(settings: Settings) -> ModelLimits:
    """What all workers together may ask of each model, as it is set."""
    return ModelLimits(
        requests_per_minute=settings.summary_requests_per_minute,
        tokens_per_minute=settings.summary_tokens_per_minute,
        concurrency=settings.summary_concurrency,
        tenant_concurrency=settings.summary_tenant_concurrency,
    )


def build_service(settings: Settings) -> TurnfoldService:
    """The service over the store and the queue that are set."""
    return TurnfoldService(
        store=build_store(settings),
        queue=build_queue(settings),
        policy=build_policy(settings),
        ttl_seconds=settings.session_ttl_seconds,
    )


class Turnfold(TurnfoldService):
    """Conversations, for a chat backend: `append` messages, and ask for the `context` of the model's next call.

    Args:
        redis_url: the session store.
        broker_url: Celery's broker; the store's server, next database, if not given.
        policy: of the sessions that are made here, kept with them, so that workers obey it: a policy, its JSON, or a
            file's name; without one that of the environment, which the workers' must be as well.
        tenant: whose conversations.

    Everything else is read from the environment, as the API and the workers do.

    Raises:
        BadInput: there is no address of a store, or the policy is not valid.
    """

    def __init__(
        self,
        *,
        redis_url: str | None = None,
        broker_url: str | None = None,
        policy: Policy | Mapping[str, Any] | str | None = None,
        tenant: str = "default",
    ) -> None:
        settings = Settings()
        if redis_url is not None:
            checked_address(redis_url, "redis_url")
        given = {"redis_url": redis_url, "broker_url": broker_url}
        settings = settings.model_copy(update={name: url for name, url in given.items() if url is not None})
        super().__init__(
            store=build_store(settings),
            queue=build_queue(settings),
            policy=build_policy(settings) if policy is None else _as_policy(policy),
            ttl_seconds=settings.session_ttl_seconds,
            tenant=tenant,
            keeps_policy=policy is not None,
        )

    @classmethod
    def from_env(cls) -> Turnfold:
        """With the settings of the environment (`TURNFOLD_REDIS_URL`, …)."""
        return cls()

    async def search(self, session_id: str, query: str, *, limit: int = DEFAULT_LIMIT) -> list[Hit]:
        """The original messages that match, best first: folded ones too. `recall_tool` is the same for a model.

        Raises:
            NotFound: there is no such session.
            BadInput: the query is empty or too long, or the limit is out of its range.
        """
        return await search(self, session_id, query, limit=limit)

    async def erase_message(self, session_id: str, message_id: str) -> None:
        """Erases a message for good, with all that was made of it; summaries that told of it are made again.

        Raises:
            NotFound: there is no such session, or no such message in it.
        """
        await erase_message(self, session_id, message_id)

    async def unfold(self, session_id: str, group_id: str) -> None:
        """Takes a summary back: its sources show again, and no trigger folds them again.

        Raises:
            NotFound: there is no such session, or no such summary in it.
            Conflict: a later summary tells of it.
        """
        await unfold(self, session_id, group_id)


def _as_policy(value: Policy | Mapping[str, Any] | str) -> Policy:
    if isinstance(value, Policy):
        return value
    return policy_from_argument(value) if isinstance(value, str) else Policy.parse(value)


def check_settings(settings: Settings) -> None:
    """What the API, the workers and the schedule would find wrong when they start.

    Raises:
        BadInput: naming the setting.
    """
    check_connections(settings)
    build_policy(settings)
    build_redactor(settings)
    build_summarizer(settings.summarizer_name, settings)


def check_connections(settings: Settings) -> None:
    """
    Raises:
        BadInput: naming the address that nothing can be reached at.
    """
    if settings.redis_url and not is_several(checked_address(settings.redis_url)):
        _connections(settings.redis_url)
    if settings.broker_url:
        chosen_broker_url(settings.broker_url, redis_url=settings.redis_url)


def build_summarizer(name: str, settings: Settings, *, named_by: str = "TURNFOLD_SUMMARIZER") -> Summarizer:
    """The summarizer of that name: `extractive`, `openai`, or `package.module:factory`.

    Raises:
        BadInput: naming the setting that is missing or wrong.
    """
    if name == "extractive":
        return ExtractiveSummarizer()
    if name == "openai":
        return _openai_summarizer(settings)
    if ":" in name:
        return _from_factory(name, named_by)
    raise BadInput(named_by, f"{name!r} is not known; extractive, openai, or package.module:factory")


def _openai_summarizer(settings: Settings) -> Summarizer:
    if not settings.summary_model:
        raise BadInput("TURNFOLD_SUMMARY_MODEL", "is not set; the summarizer openai needs a model's name")
    from openai import AsyncOpenAI  # only where a model is called

    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else "none"
    client = AsyncOpenAI(
        api_key=key,
        base_url=settings.openai_base_url,
        timeout=settings.summary_timeout_seconds,
        max_retries=0,  # tries are counted by the queue
    )
    return OpenAISummarizer(
        client,
        model=settings.summary_model,
        max_tokens_field=settings.summary_max_tokens_field,
        fallback_model=settings.summary_fallback_model,
        structured=settings.summary_structured_output,
        allowed=allowed_models(settings).has,
    )


def _from_factory(name: str, named_by: str) -> Summarizer:
    module_name, _, attribute = name.partition(":")
    try:
        factory: Any = getattr(importlib.import_module(module_name), attribute)
        made = factory()
    except BadInput:
        raise
    except Exception as error:  # somebody else's code: it may raise anything
        raise BadInput(named_by, f"can't load {name}: {type(error).__name__}: {error}") from error
    if not isinstance(made, Summarizer):
        raise BadInput(named_by, f"{name} made no summarizer but {type(made).__name__}")
    return made
