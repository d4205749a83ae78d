"""One endpoint of a language model, asked by several threads: paced, paid for, stored, retried.

A call takes its turn, reserves its estimated price, is made, is stored, and only then read and
settled. A call that failed on its way is made again up to `attempts` times, after what the vendor
asks for (no more than a minute) or a growing pause; a throttled one holds back all threads.
"""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import httpx

from monitor.config.judging import LlmPart
from monitor.config.logs import log
from monitor.domain.engine import Exchange, Request
from monitor.domain.pace import MICROSECONDS, Pace, Turns
from monitor.domain.ports import Artifacts, Clock, JudgeLedger
from monitor.domain.secrecy import redact, redact_headers
from monitor.domain.waiting import asked_delay, backoff
from monitor.errors import BudgetError, JudgeError
from monitor.judge.llm.failures import NETWORK, Call, Fate, sort_call
from monitor.judge.llm.forms import plain
from monitor.judge.llm.interface import Heard, Manner
from monitor.judge.llm.prices import TokenPrice
from monitor.judge.llm.providers import PROVIDERS
from monitor.judge.llm.records import Place, Record, request_key, store
from monitor.judge.llm.sending import Sender, quiet_client_log

MAX_WAIT_SECONDS = 60.0
"""A vendor that asks for a longer pause is not waited for."""


@dataclass(frozen=True, slots=True)
class Means:
    """What judge and splitter need of their surroundings; one client serves both."""

    ledger: JudgeLedger
    artifacts: Artifacts
    clock: Clock
    client: httpx.Client
    jitter: Callable[[], float]
    """Numbers from 0 to 1, by which pauses between tries differ."""
    sleep: Callable[[float], None] = time.sleep
    again: bool = False
    """Whether questions whose stored replies nobody could use are asked anew, once."""


LIKELY_BYTES = 4
"""Bytes of a token of English, for a guess."""
LIKELY_REPLY = 150
"""Tokens of a verdict in the form that is asked for, without thoughts: a guess."""


@dataclass(frozen=True, slots=True)
class Made:
    """The last try of a call, and what all of its tries cost."""

    record: Record
    call: Call
    micros: int


class Endpoint:
    """The one place that asks a model; remembers what the endpoint refused."""

    def __init__(self, part: LlmPart, key: str | None, price: TokenPrice, means: Means) -> None:
        self.part = part
        self.provider = PROVIDERS[part.provider]
        self.price = price
        self.artifacts = means.artifacts
        self._secrets = (key,) if key else ()
        self._means = means
        auth = self.provider.auth
        header = {str(auth.header): f"{auth.scheme}{key}"} if key else {}
        quiet_client_log()
        self._sender = Sender(means.client, means.clock, part.timeout_seconds, header)
        self._pace = Pace(part.per_minute)
        self._turns = Turns()
        self._lock = threading.Lock()
        self._manner = Manner()
        self._proved = False
        self._held: str | None = None
        self._fatal: JudgeError | None = None

    @property
    def held(self) -> str | None:
        """Which cap ended the calls; None while none did."""
        return self._held

    def release(self) -> None:
        """Let the caps be asked again."""
        self._held = None

    @property
    def manner(self) -> Manner:
        """How this endpoint is asked, by what it refused so far."""
        return self._manner

    def learn(self, manner: Manner) -> None:
        """Remember a manner that led to a usable reply."""
        with self._lock:
            self._proved = True
            known = self._manner
            rungs = list(type(manner.rung))
            self._manner = Manner(
                rung=max(known.rung, manner.rung, key=rungs.index),
                temperature=known.temperature and manner.temperature,
                plain_cap=manner.plain_cap,
                wide=known.wide or manner.wide,
            )

    def despair(self, manner: Manner) -> None:
        """Remember the last rung where no reply of any form was usable, and none ever was."""
        with self._lock:
            if not self._proved:
                self._manner = replace(self._manner, rung=manner.rung)

    def estimate(self, request: Request, manner: Manner) -> int:
        """Most that one call costs: a token for each three bytes, and the longest reply."""
        size = len(json.dumps(request.json, ensure_ascii=False).encode("utf-8", "replace"))
        return self.price.of_tokens(-(-size // 3), manner.reply_tokens)

    def likely(self, request: Request) -> int:
        """What one call costs if its text is English and the reply of common length."""
        size = len(json.dumps(request.json, ensure_ascii=False).encode("utf-8", "replace"))
        return self.price.of_tokens(-(-size // LIKELY_BYTES), LIKELY_REPLY)

    def heard(self, call: Call) -> Heard | None:
        """What the model said in a call."""
        return self.provider.read(call.document) if call.document is not None else None

    def cost(self, record: Record, call: Call) -> int:
        """What a call cost, in millionths of a USD, by the prices of its moment.

        Nothing where it failed, or where what came back is no document of a model's interface. By
        the vendor's counts where it has them. The estimate where it has none, and where the call
        ran out of time or its reply was cut or too large: it was worked on, for all we know.
        """
        exchange = record.exchange
        if exchange.failure is not None:
            return 0 if exchange.failure == NETWORK else record.estimate
        if not 200 <= (exchange.status or 0) < 300 or call.document is None:
            return 0
        heard = self.heard(call)
        micros = record.price.micros(heard.usage) if heard is not None else None
        return record.estimate if micros is None else micros

    def ask(self, request: Request, manner: Manner, place: Place, free: int) -> Made:
        """The tries of one call; BudgetError and JudgeError say that there will be no more."""
        spent = 0
        for attempt in range(self.part.attempts):
            record = self._call(request, manner, place, free + attempt)
            call = sort_call(record.exchange)
            spent += self.cost(record, call)
            self._stop_for(call)
            if call.fate is not Fate.RETRY or attempt + 1 == self.part.attempts:
                break
            wait = asked_delay(record.exchange, self._means.clock.now())
            wait = backoff(attempt, self._means.jitter()) if wait is None else wait
            if wait > MAX_WAIT_SECONDS:
                break
            self._rest(wait, call)
        return Made(record, call, spent)

    def _stop_for(self, call: Call) -> None:
        """Raise where no later call can succeed either."""
        part = self.part
        where = f"{part.provider} at {part.base_url or 'its own address'}"
        says = redact(plain(call.says).encode("utf-8", "replace"), self._secrets)[0].decode()
        if call.fate is Fate.NO_MONEY:
            self._held = f"{where} has no money or quota left for the judge: {says}"
            raise BudgetError(self._held)
        if call.fate is not Fate.FATAL:
            return
        if call.word == "auth":
            name = part.key or self.provider.auth.variables[0]
            todo = f"refused the key; check {name} and what it may be used for"
        else:
            todo = f"does not know model {part.model!r}; check judge.llm.model and base_url"
        self._fatal = JudgeError(f"{where} {todo} (it says: {says or 'nothing'})")
        raise self._fatal

    def _call(self, request: Request, manner: Manner, place: Place, attempt: int) -> Record:
        """One paid call: take a turn, reserve, ask, keep, settle."""
        means = self._means
        self._take_turn()
        self._refuse()
        means.artifacts.ready()
        estimate = self.estimate(request, manner)
        try:
            reservation = means.ledger.reserve(estimate)
        except BudgetError as error:
            self._held = str(error)
            raise
        started_at, started = means.clock.now(), means.clock.monotonic()
        exchange = self._sender.send(request)
        record = Record(
            manner=manner,
            request_key=request_key(request),
            exchange=self._blanked(exchange),
            price=self.price,
            estimate=estimate,
            started_at=started_at,
            duration_ms=round((means.clock.monotonic() - started) * 1000),
        )
        store(means.artifacts, place, attempt, record)
        means.ledger.settle(reservation, self.cost(record, sort_call(record.exchange)))
        return record

    def _refuse(self) -> None:
        """Raise where calls have ended already."""
        if self._fatal is not None:
            raise self._fatal
        if self._held is not None:
            raise BudgetError(self._held)

    def _blanked(self, exchange: Exchange) -> Exchange:
        """An exchange without the key, wherever the vendor may have repeated it."""
        body, _ = redact(exchange.body, self._secrets)
        return replace(exchange, body=body, headers=redact_headers(exchange.headers, self._secrets))

    def _take_turn(self) -> None:
        """Wait until a call may start."""
        while True:
            with self._lock:
                now = self._now()
                turn, self._turns = self._turns.taken(now, self._pace)
            if turn.at > now:
                self._means.sleep((turn.at - now) / MICROSECONDS)
            if turn.is_taken:
                return

    def _now(self) -> int:
        return round(self._means.clock.monotonic() * MICROSECONDS)

    def _rest(self, wait: float, call: Call) -> None:
        """Hold back all threads where the vendor is throttling, else only this one."""
        log("judge_call_failed", level="warning", reason=call.word, seconds=round(wait, 3))
        if call.word == "rate_limit":
            with self._lock:
                self._turns = self._turns.paused(self._now(), round(wait * MICROSECONDS))
        elif wait:
            self._means.sleep(wait)
