import type { engineAlive, Payload } from "../../contracts/index.ts";
import type { LiveReplicas, Replica } from "../../platform/bus/index.ts";

type Heartbeat = Pick<Payload<typeof engineAlive>, "instance" | "draining" | "connection">;

interface Engine extends Replica {
  draining: boolean;
  isUnreachable: boolean;
  connection: number;
  /** The tick at which it was heard last. */
  lastHeard: number;
}

/** Ticks of 80 ms: a new request never goes to an engine that has been silent for three heartbeats (600 ms). */
const liveTicks = 6;
/** 560 to 640 ms after the last heartbeat. */
const silentTicks = 8;
/** Ticks without any heartbeat that still count as time: one heartbeat, and one that is late. */
const quietTicks = 4;
/** 2.4 s: a client of NATS leaves a frozen node within 1.6 s, and dials a server that did not answer again after 2.4 s at most. */
const returningTicks = 30;
/** More engines than any installation has. It limits what a sender on the bus can make us store. */
const maxEngines = 256;

/** Removes the engines that are gone, and returns the others. */
function withoutGone(engines: Map<string, Engine>, now: number): readonly Engine[] {
  for (const [instance, { lastHeard, outstanding }] of engines) {
    if (now - lastHeard >= silentTicks && outstanding === 0) engines.delete(instance);
  }
  return [...engines.values()];
}

function markUnreachable(engines: Iterable<Engine | undefined>): void {
  for (const engine of engines) if (engine !== undefined) engine.isUnreachable = true;
}

/**
 * Tracks for each engine whether it is live. Time counts only while heartbeats of some engine arrive and our own timer is on time: if our event
 * loop or NATS stops, no engine looks silent because of it.
 */
export class LiveEngines implements LiveReplicas {
  readonly #engines = new Map<string, Engine>();
  #now = 0;
  #sinceAnyHeartbeat = 0;
  /** Ticks for which an engine that is not heard is expected back. */
  #expectedFor = 0;
  #live: readonly Replica[] = [];
  #silent: readonly Replica[] = [];

  #list(): void {
    const now = this.#now;
    const all = withoutGone(this.#engines, now);
    this.#live = all.filter(
      (engine) => now - engine.lastHeard < liveTicks && !engine.draining && !engine.isUnreachable,
    );
    this.#silent = all.filter(({ lastHeard }) => now - lastHeard >= silentTicks);
  }

  /** @returns the engine if it has connected to NATS again since its last heartbeat */
  heard({ instance, draining = false, connection }: Heartbeat): Replica | undefined {
    this.#sinceAnyHeartbeat = 0;
    this.#expectedFor = returningTicks;
    const known = this.#engines.get(instance);
    if (known !== undefined) {
      const changes = known.draining !== draining || known.isUnreachable || this.#now - known.lastHeard >= liveTicks;
      const isBack = known.connection !== connection;
      Object.assign(known, { draining, connection, isUnreachable: false, lastHeard: this.#now });
      if (changes) this.#list();
      return isBack ? known : undefined;
    }
    if (this.#engines.size < maxEngines) {
      const state = { draining, isUnreachable: false, connection, lastHeard: this.#now };
      this.#engines.set(instance, { instance, outstanding: 0, ...state });
      this.#list();
    }
    return undefined;
  }

  /** The watch's timer, every 80 ms. */
  tick(wasOnTime: boolean): void {
    this.#sinceAnyHeartbeat += 1;
    this.#expectedFor -= 1;
    if (!wasOnTime || this.#sinceAnyHeartbeat > quietTicks) return;
    this.#now += 1;
    this.#list();
  }

  /** The engines for new requests. */
  live(): readonly Replica[] {
    return this.#live;
  }

  /** Whether an engine that was heard a moment ago is expected to be heard again. */
  isReturning(): boolean {
    return this.#expectedFor > 0 && [...this.#engines.values()].some(({ draining }) => !draining);
  }

  /** NATS has no subscription of this engine, or of any (`undefined`): it gets no new requests until it is heard again. */
  unreachable(engine: Replica | undefined): void {
    markUnreachable(engine === undefined ? this.#engines.values() : [this.#engines.get(engine.instance)]);
    this.#list();
  }

  /** This process has connected to NATS again. Engines that lost the same server may be back later: each is live once it is heard again. */
  reconnected(): void {
    this.#expectedFor = returningTicks;
    markUnreachable(this.#engines.values());
    this.#list();
  }

  /** Engines that are not heard may be heard soon: until the tick after the next one, they are expected back. */
  expected(): void {
    this.#expectedFor = Math.max(this.#expectedFor, 2);
  }

  /** The engines that have missed three heartbeats. */
  silent(): readonly Replica[] {
    return this.#silent;
  }

  /** No engine sends heartbeats: new requests go to the queue group, which may have engines that never send any. */
  clear(): void {
    this.#engines.clear();
    this.#list();
  }
}
