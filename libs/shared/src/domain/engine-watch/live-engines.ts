import type { Payload } from "../../contracts/define.ts";
import type { engineAlive } from "../../contracts/index.ts";
import type { Replica } from "../../platform/bus/index.ts";

/** What a heartbeat says. */
export type Heartbeat = Pick<Payload<typeof engineAlive>, "instance" | "addressed" | "draining" | "connection">;

/**
 * Which engines live, one by one. Time counts only while heartbeats of some engine arrive and our own timer is on time: if our event loop
 * or NATS stops, no engine looks silent because of it.
 */
export interface LiveEngines {
  /** @returns the engine if it has connected to NATS again since its last heartbeat */
  readonly heard: (heartbeat: Heartbeat) => Replica | undefined;
  /** The watch's timer, every `tickMs`. */
  readonly tick: (wasOnTime: boolean) => void;
  /** The engines for new requests. */
  readonly live: () => readonly Replica[];
  /** The engines that have missed three heartbeats. */
  readonly silent: () => readonly Replica[];
  /** No engine sends heartbeats: new requests go to the queue group, which may have engines that never send any. */
  readonly clear: () => void;
}

interface Engine extends Replica {
  isAddressed: boolean;
  draining: boolean;
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
/** More engines than any installation has. It limits what a sender on the bus can make us store. */
const maxEngines = 256;
/** Becomes part of a subject. */
const addressable = /^[A-Za-z0-9_-]{1,64}$/;

export function createLiveEngines(): LiveEngines {
  const engines = new Map<string, Engine>();
  let now = 0;
  let sinceAnyHeartbeat = 0;
  let live: readonly Replica[] = [];
  let silent: readonly Replica[] = [];

  const list = (): void => {
    for (const [instance, { lastHeard, outstanding }] of engines) {
      if (now - lastHeard >= silentTicks && outstanding === 0) engines.delete(instance);
    }
    const all = [...engines.values()];
    live = all.filter(({ lastHeard, draining }) => now - lastHeard < liveTicks && !draining);
    silent = all.filter(({ lastHeard }) => now - lastHeard >= silentTicks);
  };

  return {
    heard({ instance, addressed, draining = false, connection }) {
      sinceAnyHeartbeat = 0;
      const isAddressed = addressed === true && addressable.test(instance);
      const known = engines.get(instance);
      if (known !== undefined) {
        const changes = known.draining !== draining || now - known.lastHeard >= liveTicks;
        const isBack = known.connection !== connection;
        Object.assign(known, { isAddressed, draining, connection, lastHeard: now });
        if (changes) list();
        return isBack ? known : undefined;
      }
      if (engines.size < maxEngines) {
        engines.set(instance, { instance, isAddressed, outstanding: 0, draining, connection, lastHeard: now });
        list();
      }
      return undefined;
    },
    tick(wasOnTime) {
      sinceAnyHeartbeat += 1;
      if (!wasOnTime || sinceAnyHeartbeat > quietTicks) return;
      now += 1;
      list();
    },
    live: () => live,
    silent: () => silent,
    clear() {
      engines.clear();
      list();
    },
  };
}
