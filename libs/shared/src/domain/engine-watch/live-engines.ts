import type { Payload } from "../../contracts/define.ts";
import type { engineAlive } from "../../contracts/index.ts";
import type { Replica } from "../../platform/bus/index.ts";

/** What a heartbeat says. */
export type Heartbeat = Pick<Payload<typeof engineAlive>, "instance" | "addressed" | "draining" | "connection">;

/**
 * Tracks for each engine whether it is live. Time counts only while heartbeats of some engine arrive and our own timer is on time: if our event loop
 * or NATS stops, no engine looks silent because of it.
 */
export interface LiveEngines {
  /** @returns the engine if it has connected to NATS again since its last heartbeat */
  readonly heard: (heartbeat: Heartbeat) => Replica | undefined;
  /** The watch's timer, every `tickMs`. */
  readonly tick: (wasOnTime: boolean) => void;
  /** The engines for new requests. */
  readonly live: () => readonly Replica[];
  /** Whether an engine that was heard a moment ago is expected to be heard again. */
  readonly isReturning: () => boolean;
  /** NATS has no subscription of this engine, or of any (`undefined`): it gets no new requests until it is heard again. */
  readonly unreachable: (engine: Replica | undefined) => void;
  /** The engines that have missed three heartbeats. */
  readonly silent: () => readonly Replica[];
  /** This process has connected to NATS again. Engines that lost the same server may be back later: each is live once it is heard again. */
  readonly reconnected: () => void;
  /** Engines that are not heard may be heard soon: until the tick after the next one, they are expected back. */
  readonly expected: () => void;
  /** No engine sends heartbeats: new requests go to the queue group, which may have engines that never send any. */
  readonly clear: () => void;
}

interface Engine extends Replica {
  isAddressed: boolean;
  draining: boolean;
  isUnreachable: boolean;
  /** Absent from earlier versions. */
  connection: number | undefined;
  /** In ticks. */
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
/** Becomes part of a subject. */
const addressable = /^[A-Za-z0-9_-]{1,64}$/;

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

export function createLiveEngines(): LiveEngines {
  const engines = new Map<string, Engine>();
  let [now, sinceAnyHeartbeat] = [0, 0];
  /** Ticks for which an engine that is not heard is expected back. */
  let expectedFor = 0;
  let live: readonly Replica[] = [];
  let silent: readonly Replica[] = [];

  const list = (): void => {
    const all = withoutGone(engines, now);
    live = all.filter((engine) => now - engine.lastHeard < liveTicks && !engine.draining && !engine.isUnreachable);
    silent = all.filter(({ lastHeard }) => now - lastHeard >= silentTicks);
  };

  return {
    heard({ instance, addressed, draining = false, connection }) {
      sinceAnyHeartbeat = 0;
      expectedFor = returningTicks;
      const isAddressed = addressed === true && addressable.test(instance);
      const known = engines.get(instance);
      if (known !== undefined) {
        const changes = known.draining !== draining || known.isUnreachable || now - known.lastHeard >= liveTicks;
        const isBack = known.connection !== connection;
        Object.assign(known, { isAddressed, draining, connection, isUnreachable: false, lastHeard: now });
        if (changes) list();
        return isBack ? known : undefined;
      }
      if (engines.size < maxEngines) {
        const state = { draining, isUnreachable: false, connection, lastHeard: now };
        engines.set(instance, { instance, isAddressed, outstanding: 0, ...state });
        list();
      }
      return undefined;
    },
    tick(wasOnTime) {
      sinceAnyHeartbeat += 1;
      expectedFor -= 1;
      if (!wasOnTime || sinceAnyHeartbeat > quietTicks) return;
      now += 1;
      list();
    },
    live: () => live,
    isReturning: () => expectedFor > 0 && [...engines.values()].some(({ draining }) => !draining),
    unreachable(engine) {
      markUnreachable(engine === undefined ? engines.values() : [engines.get(engine.instance)]);
      list();
    },
    reconnected() {
      expectedFor = returningTicks;
      markUnreachable(engines.values());
      list();
    },
    expected: () => void (expectedFor = Math.max(expectedFor, 2)),
    silent: () => silent,
    clear() {
      engines.clear();
      list();
    },
  };
}
