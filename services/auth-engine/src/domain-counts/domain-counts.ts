import type { AuthDecision } from "@postern/shared/contracts";
import { type AccountKind, dayOf, otherDomains, weekOf } from "@postern/shared/domain/domain-counts";
import type { Domain, KnownDomain } from "@postern/shared/domain/domains";
import type { DecisionNote } from "@postern/shared/domain/history";
import { createHotCache } from "@postern/shared/platform/cache";
import type { Clock } from "@postern/shared/platform/time";
import type { Attempt } from "../pipeline/attempt.ts";
import type { AccountFacts } from "../pipeline/step.ts";
import { BatchWriter, type SendBatch } from "../rollups/batch-writer.ts";

/** Domains between two flushes; those beyond count together. */
const maxDomains = 2000;
/** Accounts of one kind and domain between two flushes; others count when they are seen again. */
const maxAccounts = 500;
/** Accounts that this process has counted in this week, of each kind. */
const maxSeen = 65_536;
/** Redis does nothing else while a script runs, and an engine nothing else while it writes the digests of a batch, about a microsecond each. */
const domainsAtATime = 64;
const accountsAtATime = 500;

/** Sign-ins of one domain that Redis does not have yet. */
interface Tally {
  ok: number;
  failed: number;
  readonly accounts: Readonly<Record<AccountKind, string[]>>;
}

export interface DomainPart extends Readonly<Tally> {
  readonly domain: string;
}

/** What is added together, and when. */
export interface DomainBatch {
  readonly day: number;
  readonly week: number;
  readonly seconds: number;
  readonly parts: readonly DomainPart[];
}

const newTally = (): Tally => ({ ok: 0, failed: 0, accounts: { accounts: [], second_factors: [], app_passwords: [] } });

const newSeen = () => ({
  accounts: createHotCache<true>(maxSeen),
  second_factors: createHotCache<true>(maxSeen),
  app_passwords: createHotCache<true>(maxSeen),
});

/**
 * Counts sign-ins and accounts by domain until they are written. Only domains with a record are counted by themselves, because everybody can
 * type names of others. What waits is bounded, however long Redis is away.
 */
export class DomainCounter {
  readonly #clock: Clock;
  #tallies = new Map<string, Tally>();
  #seen = newSeen();
  #week: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#week = weekOf(clock.now());
  }

  /** @param domain absent while no domain has rules of its own: then nothing is counted */
  decided({ domain }: Pick<Attempt, "domain">, decision: AuthDecision, { credential }: AccountFacts): void {
    if (domain === undefined || decision.outcome === "tempfail") return;
    const tally = this.#tallyOf(domain);
    if (decision.outcome !== "ok") {
      tally.failed += 1;
      return;
    }
    tally.ok += 1;
    if (!hasRecord(domain)) return;
    this.#note(tally, "accounts", decision.account);
    if (credential === "app_password") this.#note(tally, "app_passwords", decision.account);
  }

  /** A sign-in that a mail server reported. */
  reported({ outcome, account }: Pick<DecisionNote, "outcome" | "account">, domain: Domain | undefined): void {
    if (domain === undefined || outcome === "undecided") return;
    const tally = this.#tallyOf(domain);
    if (outcome !== "ok") {
      tally.failed += 1;
      return;
    }
    tally.ok += 1;
    if (account !== undefined && hasRecord(domain)) this.#note(tally, "accounts", account);
  }

  /** What an account has, when somebody needs to know. */
  hasFactors(domain: Domain | undefined, account: string, kinds: readonly AccountKind[]): void {
    if (domain === undefined || !hasRecord(domain)) return;
    for (const kind of kinds) {
      if (this.#seen[kind].get(account) === undefined) this.#note(this.#tallyOf(domain), kind, account);
    }
  }

  /** The next batch; empty if Redis has everything. */
  take(): readonly DomainBatch[] {
    const nowMs = this.#clock.now();
    const [day, week] = [dayOf(nowMs), weekOf(nowMs)];
    if (week !== this.#week) {
      this.#seen = newSeen();
      this.#week = week;
    }
    const parts: DomainPart[] = [];
    let accounts = 0;
    for (const [domain, tally] of this.#tallies) {
      if (parts.length === domainsAtATime || accounts >= accountsAtATime) break;
      for (const names of Object.values(tally.accounts)) accounts += names.length;
      parts.push({ domain, ...tally });
      this.#tallies.delete(domain);
    }
    return parts.length === 0 ? [] : [{ day, week, seconds: Math.floor(nowMs / 1000), parts }];
  }

  #tallyOf(domain: Domain): Tally {
    const name = hasRecord(domain) ? domain.name : otherDomains;
    const known = this.#tallies.get(name);
    if (known !== undefined) return known;
    const counted = this.#tallies.size < maxDomains ? name : otherDomains;
    const tally = this.#tallies.get(counted) ?? newTally();
    this.#tallies.set(counted, tally);
    return tally;
  }

  #note(tally: Tally, kind: AccountKind, account: string): void {
    const waiting = tally.accounts[kind];
    if (waiting.length >= maxAccounts || this.#seen[kind].get(account) !== undefined) return;
    this.#seen[kind].set(account, true);
    waiting.push(account);
  }
}

function hasRecord(domain: Domain): domain is KnownDomain {
  return domain.isKnown && domain.record !== undefined;
}

/** Counts sign-ins by domain, and adds them to those of the other engines every ten seconds. */
export class DomainCounts extends DomainCounter {
  readonly #writer: BatchWriter<DomainBatch>;

  constructor(add: SendBatch<DomainBatch>, clock: Clock) {
    super(clock);
    this.#writer = new BatchWriter({ take: () => this.take(), send: add });
  }

  /** Writes the rest, also if Redis answers only after a moment. */
  close(): Promise<void> {
    return this.#writer.close();
  }
}
