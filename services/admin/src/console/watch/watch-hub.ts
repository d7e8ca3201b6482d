import { randomBytes } from "node:crypto";
import {
  decisionsSeen,
  maxWatches,
  type Payload,
  type WatchFilter,
  type WatchSources,
  watchesRenewed,
} from "@postern/shared/contracts";
import { seenDecision } from "@postern/shared/domain/decision-watch";
import type { EngineWatch } from "@postern/shared/domain/engine-watch";
import type { DecisionNote } from "@postern/shared/domain/history";
import type { Bus, EventSubscription } from "@postern/shared/platform/bus";
import type { Clock } from "@postern/shared/platform/time";

const renewMs = 2000;
/** Three renewals may be lost. */
const leaseMs = 7000;
/** A service reports every two seconds, or more often. */
const silentMs = 6000;
/** More processes than any site has. It limits what a sender on the bus can make us store. */
const maxSources = 256;

/** A decision, and the process that made it. */
export interface SeenDecision extends DecisionNote {
  readonly instance: string;
}

/** Whoever watches. */
export interface Watching {
  readonly sources: (sources: WatchSources) => void;
  readonly decision: (decision: SeenDecision) => void;
  /** So many decisions matched and did not arrive. */
  readonly dropped: (count: number) => void;
  /** The process is stopping. */
  readonly end: () => void;
}

interface Source {
  readonly service: string;
  matched: number;
  heardMs: number;
}

interface OpenWatch {
  readonly filter: WatchFilter;
  readonly watching: Watching;
  readonly sources: Map<string, Source>;
  shown: string;
}

interface HubDeps {
  readonly bus: Pick<Bus, "publish" | "subscribe">;
  readonly engineWatch: Pick<EngineWatch, "engines">;
  /** Steady. */
  readonly clock: Clock;
}

/** What operators watch at this process: it asks the deciding services for as long as somebody watches, and passes on what they report. */
export class WatchHub {
  readonly #deps: HubDeps;
  /** Names this process on the bus. */
  readonly #watcher = randomBytes(8).toString("hex");
  readonly #open = new Map<string, OpenWatch>();
  #subscription: EventSubscription | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(deps: HubDeps) {
    this.#deps = deps;
  }

  /** Number of open watches. */
  get size(): number {
    return this.#open.size;
  }

  /** Begins a watch, and returns the function that ends it. Undefined if too many are open, or the process is stopping. */
  open(filter: WatchFilter, watching: Watching): (() => void) | undefined {
    if (this.#hasEnded || this.#open.size >= maxWatches) return undefined;
    const id = randomBytes(8).toString("hex");
    this.#open.set(id, { filter, watching, sources: new Map(), shown: "" });
    this.#subscription ??= this.#deps.bus.subscribe(decisionsSeen, (seen) => this.#pass(seen));
    this.#timer ??= setInterval(() => this.#tick(), renewMs).unref();
    this.#renew();
    return () => {
      if (this.#open.delete(id)) this.#settle();
    };
  }

  /** At shutdown. */
  end(): void {
    this.#hasEnded = true;
    for (const { watching } of this.#open.values()) watching.end();
  }

  #settle(): void {
    this.#renew();
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#subscription?.unsubscribe();
    this.#subscription = undefined;
  }

  #renew(): void {
    const watches = [...this.#open].map(([id, { filter }]) => ({ id, filter }));
    this.#deps.bus.publish(watchesRenewed, { watcher: this.#watcher, watches, leaseMs });
  }

  #tick(): void {
    this.#renew();
    for (const watch of this.#open.values()) this.#showSources(watch, true);
  }

  #pass({ watch: id, service, instance, decisions, matched }: Payload<typeof decisionsSeen>): void {
    const watch = this.#open.get(id);
    if (watch === undefined) return;
    const key = `${service} ${instance}`;
    const known = watch.sources.get(key);
    if (known === undefined && watch.sources.size >= maxSources) return;
    // It counts from zero again after it has forgotten this watch, as it does when no renewal arrives.
    const before = known === undefined || known.matched > matched ? 0 : known.matched;
    watch.sources.set(key, { service, matched, heardMs: this.#deps.clock.now() });
    this.#showSources(watch, false);
    for (const seen of decisions) {
      const note = seenDecision(seen);
      if (note !== undefined) watch.watching.decision({ ...note, instance });
    }
    const missing = matched - before - decisions.length;
    if (missing > 0) watch.watching.dropped(missing);
  }

  #showSources(watch: OpenWatch, isLate: boolean): void {
    const since = this.#deps.clock.now() - silentMs;
    const heard = [...watch.sources.values()].filter(({ heardMs }) => heardMs >= since);
    const of = (name: string): number => heard.filter(({ service }) => service === name).length;
    const engines = of("auth-engine");
    // The first report of an engine may arrive before its first heartbeat.
    const sources = {
      engines,
      live_engines: Math.max(engines, this.#deps.engineWatch.engines()),
      identity_providers: of("idp"),
    };
    const text = JSON.stringify(sources);
    // They report one after the other when a watch begins.
    const isGathering = watch.shown === "" && engines < sources.live_engines && !isLate;
    if (text === watch.shown || isGathering) return;
    watch.shown = text;
    watch.watching.sources(sources);
  }
}
