import { setTimeout as delay } from "node:timers/promises";
import type { RegionAppliers, RegionEnvelope, RegionStatuses } from "@postern/shared/domain/regions";
import type { Bus } from "@postern/shared/platform/bus";
import { endsWithin } from "@postern/shared/platform/concurrency";
import type { ApplyDeps } from "./apply-events.ts";
import { followPeer } from "./follow-peer.ts";
import type { Lease } from "./lease.ts";
import { logFeed } from "./messages.ts";
import { createPeerClient } from "./peer-client.ts";
import type { PeerRecord } from "./peer-record.ts";
import type { Positions } from "./positions.ts";

const everyMs = 1000;
/** What is being applied may go on after that: it can be repeated. */
const stopMs = 2000;

export interface ExchangeDeps {
  readonly bus: Bus;
  readonly region: string;
  readonly peers: readonly string[];
  readonly envelope: RegionEnvelope;
  readonly lease: Lease;
  readonly positions: Positions;
  readonly statuses: Pick<RegionStatuses, "read" | "write" | "forgotten">;
  readonly appliers: RegionAppliers;
  readonly apply: ApplyDeps;
  /** Whether the client of Redis has connected again since the last call. */
  readonly hasReconnected: () => boolean;
  /** What this worker knows of the other regions; called when it begins to read. */
  readonly createRecords: (peers: readonly string[]) => Promise<readonly PeerRecord[]>;
  /** The records of the worker that reads; none for the others. */
  readonly onRecords: (records: readonly PeerRecord[]) => void;
  readonly onError: (error: unknown) => void;
}

interface Following {
  readonly record: PeerRecord;
  stop(): Promise<void>;
}

function follow(record: PeerRecord, deps: ExchangeDeps): Following {
  const { positions, apply, appliers, region, envelope, bus } = deps;
  const stopping = new AbortController();
  const client = createPeerClient(record.name, region, envelope, bus);
  const ended = followPeer({ client, record, positions, apply }, appliers.feeds, stopping.signal);
  return {
    record,
    stop: async () => {
      stopping.abort();
      await endsWithin(ended, stopMs);
    },
  };
}

/** What the worker with the lease does: it reads from all other regions, and says how far it has come. */
class Leading {
  readonly #deps: ExchangeDeps;
  #followings: readonly Following[] = [];

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
  }

  async begin(): Promise<void> {
    await this.#follow(this.#deps.peers);
  }

  /** @throws AppError REDIS_UNAVAILABLE */
  async report(): Promise<void> {
    const statuses = this.#followings.map(({ record }) => record.status);
    for (const name of await this.#deps.statuses.write(statuses)) await this.#forget(name);
  }

  async end(): Promise<void> {
    const ending = this.#followings;
    this.#followings = [];
    this.#deps.onRecords([]);
    await Promise.all(ending.map((one) => one.stop()));
  }

  async #follow(peers: readonly string[]): Promise<void> {
    const records = await this.#deps.createRecords(peers);
    this.#followings = [...this.#followings, ...records.map((record) => follow(record, this.#deps))];
    this.#deps.onRecords(this.#followings.map(({ record }) => record));
  }

  /** Removes what is held of a region. One that is still configured is then met as a new one. */
  async #forget(name: string): Promise<void> {
    const { positions, appliers, statuses, peers } = this.#deps;
    const following = this.#followings.find(({ record }) => record.name === name);
    this.#followings = this.#followings.filter((one) => one !== following);
    await following?.stop();
    await positions.remove(name, [logFeed, ...appliers.feeds.map((feed) => feed.name)]);
    await appliers.forget(name);
    await statuses.forgotten(name);
    if (peers.includes(name)) await this.#follow([name]);
  }
}

/** Exchanges messages with the other regions while this worker has the lease. */
export function startExchange(deps: ExchangeDeps): { stop(): Promise<void> } {
  const { lease, hasReconnected, onError } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  let leading: Leading | undefined;
  const end = async (): Promise<void> => {
    const ending = leading;
    leading = undefined;
    await ending?.end();
  };
  const turn = async (): Promise<void> => {
    const held = await lease.renew();
    // Redis may have lost its data, or its last writes: what is stored says from where on everything is read again.
    if (held !== "renewed" || hasReconnected()) await end();
    if (held === "lost") return;
    if (leading === undefined) {
      const beginning = new Leading(deps);
      await beginning.begin();
      leading = beginning;
    }
    await leading.report();
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await turn().catch(onError);
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await endsWithin(running, stopMs);
      await end();
      await lease.release();
    },
  };
}
