import { setImmediate as nextTurn } from "node:timers/promises";
import type { AuthDecision } from "@postern/shared/contracts";
import type { DecisionNote } from "@postern/shared/domain/history";
import {
  addTally,
  keepLargest,
  longestOwnerName,
  maxOrigins,
  type OriginKind,
  type OriginRange,
  originKinds,
  originRangeNames,
  originRanges,
  type Tallies,
  unknownOrigin,
} from "@postern/shared/domain/origins";
import type { Clock } from "@postern/shared/platform/time";
import type { Attempt } from "../pipeline/attempt.ts";
import type { Places } from "../risk/places.ts";
import { BatchWriter, type SendBatch } from "../rollups/batch-writer.ts";

/** Different addresses between two flushes; those beyond count as unknown. An attacker with a botnet chooses their number. */
const maxAddresses = 8192;
/** An address takes some microseconds in the files, so that decisions wait at most about a millisecond. */
const addressesAtATime = 128;
/** Redis does nothing else while a script runs. */
const periodsAtATime = 3;

interface Outcomes {
  ok: number;
  refused: number;
}

/** Sign-ins of one period that Redis does not have yet. */
export interface OriginPeriod {
  readonly range: OriginRange;
  /** Number of the period since the epoch. */
  readonly number: number;
  readonly tallies: Readonly<Record<OriginKind, Tallies>>;
}

const newTallies = (): OriginPeriod["tallies"] => ({ countries: new Map(), systems: new Map() });

/** At most so many bytes, of whole characters. */
function shortened(name: string): string {
  let text = name.slice(0, longestOwnerName);
  while (Buffer.byteLength(text) > longestOwnerName) text = text.slice(0, -1);
  return text.toWellFormed().trim();
}

/**
 * Counts sign-ins by address until the addresses are located, and then by country and autonomous system until they are written. What waits is
 * as bounded as what Redis keeps: while Redis is away, a period is dropped when nobody would see it any more.
 */
export class OriginCounter {
  readonly #places: Pick<Places, "of" | "ownerOf">;
  readonly #clock: Clock;
  #addresses = new Map<string, Outcomes>();
  readonly #waiting: Readonly<Record<OriginRange, Map<number, OriginPeriod["tallies"]>>> = {
    "1h": new Map(),
    "24h": new Map(),
    "7d": new Map(),
  };

  constructor(places: Pick<Places, "of" | "ownerOf">, clock: Clock) {
    this.#places = places;
    this.#clock = clock;
  }

  /** A caller's own address says nothing about the user. */
  decided(
    { clientIp = "", clientIpIsPeer }: Pick<Attempt, "clientIp" | "clientIpIsPeer">,
    decision: AuthDecision,
  ): void {
    if (decision.outcome === "tempfail") return;
    this.#count(clientIpIsPeer === true ? "" : clientIp, decision.outcome === "ok");
  }

  /** A sign-in that a mail server reported. */
  reported({ outcome, clientIp }: Pick<DecisionNote, "outcome" | "clientIp">): void {
    if (outcome !== "undecided") this.#count(clientIp, outcome === "ok");
  }

  /** Looks up where the addresses are, while decisions go on. They count in the present period, at most seconds after the sign-in. */
  async locate(): Promise<void> {
    const addresses = this.#addresses;
    if (addresses.size === 0) return;
    this.#addresses = new Map();
    const found = newTallies();
    let left = addressesAtATime;
    for (const [address, outcomes] of addresses) {
      this.#add(found, address, outcomes);
      left -= 1;
      if (left > 0) continue;
      await nextTurn();
      left = addressesAtATime;
    }
    this.#settle(found);
  }

  /** Periods for one batch; empty if Redis has everything. */
  take(): readonly OriginPeriod[] {
    const taken: OriginPeriod[] = [];
    for (const range of originRangeNames) {
      for (const [number, tallies] of this.#waiting[range]) {
        if (taken.length === periodsAtATime) return taken;
        for (const kind of originKinds) keepLargest(tallies[kind], maxOrigins[kind]);
        taken.push({ range, number, tallies });
        this.#waiting[range].delete(number);
      }
    }
    return taken;
  }

  #count(address: string, isOk: boolean): void {
    let outcomes = this.#addresses.get(address);
    if (outcomes === undefined) {
      const counted = this.#addresses.size < maxAddresses ? address : "";
      outcomes = this.#addresses.get(counted);
      if (outcomes === undefined) {
        outcomes = { ok: 0, refused: 0 };
        this.#addresses.set(counted, outcomes);
      }
    }
    if (isOk) outcomes.ok += 1;
    else outcomes.refused += 1;
  }

  #add({ countries, systems }: OriginPeriod["tallies"], address: string, outcomes: Outcomes): void {
    const { country, system } = address === "" ? { country: "", system: 0 } : this.#places.of(address);
    addTally(countries, /^[A-Z]{2}$/u.test(country) ? country : unknownOrigin, { ...outcomes, name: "" });
    const isNew = system > 0 && !systems.has(String(system));
    const name = isNew ? shortened(this.#places.ownerOf(address)) : "";
    addTally(systems, system > 0 ? String(system) : unknownOrigin, { ...outcomes, name });
  }

  #settle(found: OriginPeriod["tallies"]): void {
    const nowMs = this.#clock.now();
    for (const range of originRangeNames) {
      const { stepMs, periods } = originRanges[range];
      const waiting = this.#waiting[range];
      const number = Math.floor(nowMs / stepMs);
      const known = waiting.get(number) ?? newTallies();
      for (const kind of originKinds) {
        for (const [origin, tally] of found[kind]) addTally(known[kind], origin, tally);
        keepLargest(known[kind], 2 * maxOrigins[kind]);
      }
      waiting.set(number, known);
      const [oldest] = waiting.keys();
      if (waiting.size > periods && oldest !== undefined) waiting.delete(oldest);
    }
  }
}

/** Counts where sign-ins come from, and adds that to what the other engines count every ten seconds. */
export class Origins extends OriginCounter {
  readonly #writer: BatchWriter<OriginPeriod>;

  constructor(add: SendBatch<OriginPeriod>, places: Pick<Places, "of" | "ownerOf">, clock: Clock) {
    super(places, clock);
    this.#writer = new BatchWriter({ prepare: () => this.locate(), take: () => this.take(), send: add });
  }

  /** Writes the rest, also if Redis answers only after a moment. */
  close(): Promise<void> {
    return this.#writer.close();
  }
}
