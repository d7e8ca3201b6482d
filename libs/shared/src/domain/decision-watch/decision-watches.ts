import {
  decisionsSeen,
  type Payload,
  type WatchedDecision,
  type WatchFilter,
  watchesRenewed,
} from "../../contracts/index.ts";
import type { Bus } from "../../platform/bus/index.ts";
import { createCidrSet } from "../../platform/net/index.ts";
import type { Clock } from "../../platform/time/index.ts";
import { foldedName } from "../brute-force/index.ts";
import { type DecisionNote, decisionChannels, decisionOutcomes } from "../history/decision-record.ts";

/** Callers choose these texts. */
const nameLength = 256;
const wordLength = 64;

const name = (text: string): string => text.slice(0, nameLength);
const word = (text: string): string => text.slice(0, wordLength);

/** A decision as it crosses the bus. */
export function watchedDecision(note: DecisionNote): WatchedDecision {
  const { timeMs, outcome, channel, account, username, clientIp, protocol, reason, rule, step, client, session } = note;
  return {
    timeMs,
    outcome,
    channel,
    ...(account !== undefined && { account: name(account) }),
    username: name(username),
    clientIp: word(clientIp),
    protocol: word(protocol),
    reason: word(reason),
    rule: word(rule),
    step: word(step),
    client: name(client),
    session: word(session),
  };
}

/** A decision that crossed the bus. Undefined if a later version knows an outcome or channel that this one does not. */
export function seenDecision(seen: WatchedDecision): DecisionNote | undefined {
  const outcome = decisionOutcomes.find((one) => one === seen.outcome);
  const channel = decisionChannels.find((one) => one === seen.channel);
  if (outcome === undefined || channel === undefined) return undefined;
  return { ...seen, outcome, channel, account: seen.account };
}

/** All conditions of a filter apply. @throws RangeError if its network is none */
export function matcherOf({ names, network, outcomes }: WatchFilter): (note: DecisionNote) => boolean {
  const wanted = names && new Set(names);
  const place = network === undefined ? undefined : createCidrSet([network]);
  const isWanted = (text: string | undefined): boolean => text !== undefined && wanted?.has(foldedName(text)) === true;
  return ({ account, username, clientIp, outcome }) => {
    if (outcomes !== undefined && !outcomes.includes(outcome)) return false;
    if (place !== undefined && !place.has(clientIp)) return false;
    return wanted === undefined || isWanted(account) || isWanted(username);
  };
}

/** Decisions leave in batches, so that one that is watched costs a fraction of a message. */
const batchMs = 250;
/** What a person or a pipe can follow; the rest is counted. */
export const maxOfBatch = 50;
/** An empty batch tells the watcher that this process reports. */
const aliveMs = 2000;
/** No watcher may ask for more than this without renewing. */
const longestLeaseMs = 10_000;
/** More replicas of admin than any site has. */
const maxWatchers = 16;

interface Watch {
  readonly id: string;
  readonly matches: (note: DecisionNote) => boolean;
  waiting: WatchedDecision[];
  matched: number;
  sentMs: number;
}

interface Watcher {
  readonly watches: readonly Watch[];
  readonly untilMs: number;
}

const begin = (id: string, filter: WatchFilter): Watch => ({
  id,
  matches: matcherOf(filter),
  waiting: [],
  matched: 0,
  sentMs: Number.NEGATIVE_INFINITY,
});

/** Who reports. */
interface Source {
  readonly service: string;
  readonly instance: string;
}

/**
 * Reports the decisions of this process to the watchers that asked for them, as long as they renew. It knows nothing that outlives the
 * process, and whoever decides neither waits for it nor fails because of it.
 */
export class DecisionWatches {
  /** Whether `note` would do anything. */
  isWatched = false;
  readonly #bus: Pick<Bus, "publish" | "canPublish">;
  readonly #source: Source;
  readonly #clock: Clock;
  readonly #watchers = new Map<string, Watcher>();
  #watches: readonly Watch[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param clock steady */
  constructor(bus: Pick<Bus, "publish" | "subscribe" | "canPublish">, { service, instance }: Source, clock: Clock) {
    this.#bus = bus;
    this.#source = { service, instance };
    this.#clock = clock;
    bus.subscribe(watchesRenewed, (renewed) => this.#renew(renewed));
  }

  /** Call it only while `isWatched`. */
  note(note: DecisionNote): void {
    let seen: WatchedDecision | undefined;
    for (const watch of this.#watches) {
      if (!watch.matches(note)) continue;
      watch.matched += 1;
      if (watch.waiting.length >= maxOfBatch) continue;
      seen ??= watchedDecision(note);
      watch.waiting.push(seen);
    }
  }

  /** Sends what waits, and forgets watchers that did not renew. */
  report(): void {
    const nowMs = this.#clock.now();
    for (const [watcher, { untilMs }] of this.#watchers) if (untilMs <= nowMs) this.#watchers.delete(watcher);
    this.#settle();
    // What cannot be sent is counted by the next report that can.
    const canSend = this.#bus.canPublish();
    for (const watch of this.#watches) {
      if (watch.waiting.length === 0 && nowMs - watch.sentMs < aliveMs) continue;
      const { id, waiting: decisions, matched } = watch;
      watch.waiting = [];
      if (!canSend) continue;
      watch.sentMs = nowMs;
      this.#bus.publish(decisionsSeen, { watch: id, ...this.#source, decisions, matched });
    }
  }

  #renew({ watcher, watches, leaseMs }: Payload<typeof watchesRenewed>): void {
    const known = this.#watchers.get(watcher);
    if (known === undefined && this.#watchers.size >= maxWatchers) return;
    const untilMs = this.#clock.now() + Math.min(leaseMs, longestLeaseMs);
    if (watches.length === 0) this.#watchers.delete(watcher);
    else {
      const kept = watches.map(({ id, filter }) => known?.watches.find((one) => one.id === id) ?? begin(id, filter));
      this.#watchers.set(watcher, { watches: kept, untilMs });
    }
    this.#settle();
  }

  /** The timer runs only while somebody watches. */
  #settle(): void {
    this.#watches = [...this.#watchers.values()].flatMap(({ watches }) => watches);
    this.isWatched = this.#watches.length > 0;
    if (!this.isWatched) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= setInterval(() => this.report(), batchMs).unref();
  }
}
