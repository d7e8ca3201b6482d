import { randomInt, randomUUID } from "node:crypto";
import { setImmediate, setTimeout } from "node:timers/promises";
import { createWeightedChoice } from "@postern/shared/domain/passwords";
import { createBoundedCache } from "@postern/shared/platform/cache";
import type { KeyedDigest, Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import type { BackendContext, BackendQuery } from "../backend.ts";
import { classifyFailure } from "./errors.ts";
import type { LdapPool } from "./ldap-pool.ts";
import type { CompiledSearch, compileSearches } from "./select-search.ts";

/** What was requested from the server for an unknown name. */
type VainWork = "bind" | "search_and_bind";

/** Number of accounts whose lowest cost is kept, and number of costs kept for each kind. */
const maxAccounts = 1024;
const keptCosts = 64;
/**
 * An account's lowest cost rises by this factor with each sign-in, so that an account whose password gets a new hash
 * changes its kind.
 */
const rise = 1.05;
/** The first sign-ins are all observed, further ones with this probability; which ones does not depend on the name. */
const allObserved = 256;
const observedShare = 1 / 16;
/** Costs that differ by less than a factor of about 1.4 are of one kind. */
const kindOf = (leastMs: number): number => Math.round(2 * Math.log2(Math.max(leastMs, 0.25)));

interface Kind {
  readonly costs: number[];
  next: number;
}

const newKind = (): Kind => ({ costs: [], next: 0 });

function keep(kind: Kind, tookMs: number): void {
  kind.costs[kind.next] = tookMs;
  kind.next = (kind.next + 1) % keptCosts;
}

function middle(costs: readonly number[]): number {
  return costs.toSorted((a, b) => a - b)[Math.floor(costs.length / 2)] ?? 0;
}

/** Times that sign-ins of known accounts took at one pool, so that unknown names take as long. All in milliseconds. */
export function createLoginCosts(digest: KeyedDigest) {
  const leastMs = createBoundedCache<number>({ maxEntries: maxAccounts, evict: "oldest" });
  const kinds = new Map<number, Kind>();
  const inVain: Readonly<Record<VainWork, Kind>> = { bind: newKind(), search_and_bind: newKind() };
  const choice = createWeightedChoice<Kind | undefined>(digest, ["none", undefined], 0);

  let observed = 0;
  const minCost = (account: string, tookMs: number): number => {
    const known = leastMs.get(account);
    const now = known === undefined ? tookMs : Math.min(tookMs, known * rise);
    leastMs.set(account, now);
    return now;
  };

  return {
    /** From the search to the server's answer to the bind, whatever the answer. */
    observe: (account: string, tookMs: number): void => {
      if (observed < allObserved) observed += 1;
      else if (Math.random() >= observedShare) return;
      const name = account.toLowerCase();
      const number = kindOf(minCost(name, tookMs));
      const kind = kinds.get(number) ?? newKind();
      kinds.set(number, kind);
      keep(kind, tookMs);
      choice.learn(name, String(number), kind);
    },
    /**
     * How long a sign-in with this name should take: one of the observed times, always of accounts of the same cost for
     * the same name. `usualMs` is the median of those accounts. Undefined if nothing was observed.
     */
    draw: (name: string): { readonly takesMs: number; readonly usualMs: number } | undefined => {
      const costs = choice.choose(name.toLowerCase())?.costs ?? [];
      const takesMs = costs.length === 0 ? undefined : costs[randomInt(costs.length)];
      return takesMs === undefined ? undefined : { takesMs, usualMs: middle(costs) };
    },
    /** Records how long requests for an unknown name took, and returns the median of such requests. */
    usualInVain: (what: VainWork, tookMs: number): number => {
      keep(inVain[what], tookMs);
      return middle(inVain[what].costs);
    },
  };
}

export type LoginCosts = ReturnType<typeof createLoginCosts>;

/**
 * Timers are up to a millisecond late, so the last two milliseconds are waited for by event-loop turns, by few callers
 * at a time.
 */
const fineMs = 2;
const maxFine = 8;
/** Time kept before the deadline, so that the answer can still be used. */
const spareMs = 25;

/**
 * The function resolves at a time of `performance.now()`, or earlier if the caller's deadline is near or the caller has
 * disconnected. A waiting call holds only a timer.
 */
export function createWaitUntil(clock: Clock) {
  let fine = 0;
  const waitFinely = async (untilMs: number, signal: AbortSignal): Promise<void> => {
    if (fine >= maxFine) return;
    fine += 1;
    while (performance.now() < untilMs && !signal.aborted) await setImmediate();
    fine -= 1;
  };
  return async (untilMs: number, { deadline, signal }: BackendContext): Promise<void> => {
    const latestMs = performance.now() + deadline - clock.now() - spareMs;
    const endMs = Math.min(untilMs, latestMs);
    const coarseMs = Math.floor(endMs - performance.now() - (fine < maxFine ? fineMs : 0));
    if (coarseMs >= 1) await setTimeout(coarseMs, undefined, { signal }).catch(() => undefined);
    await waitFinely(endMs, signal);
  };
}

interface VainSearch {
  readonly tookMs: number;
  /** No server was queried. */
  readonly isRemembered: boolean;
}

/** Smaller differences are lost in the jitter of server and network. */
const noticeableMs = 0.5;

function partsOfPool({ name, settings }: LdapPool, digest: KeyedDigest, costsOf: (pool: string) => LoginCosts) {
  const decoys = createWeightedChoice<string | undefined>(digest, ["none", undefined]);
  if (settings.decoyDns.length > 0) decoys.fix(settings.decoyDns.map((dn) => [dn, dn, 1]));
  /** The entry to bind as; undefined if the site named none. */
  const decoyDn = (name: string): string | undefined => decoys.choose(name.toLowerCase());
  return { costs: costsOf(name), decoyDn };
}

const absentRdn = `cn=${randomUUID()}`;

/** The name of an entry that cannot exist. */
export const absentDn = (baseDn: string): string => (baseDn === "" ? absentRdn : `${absentRdn},${baseDn}`);

/** Discards the answer; a missing answer is thrown, as for a known name. */
async function bindInVain(pool: LdapPool, dn: string, password: Secret, context: BackendContext): Promise<void> {
  try {
    await pool.bind.bind(dn, password, context);
  } catch (error) {
    if (error instanceof AppError || classifyFailure(error) !== "answer") throw error;
  }
}

/**
 * Makes sign-ins with unknown names take as long as those with known ones.
 *
 * @param costsOf the observed costs of sign-ins in a pool, by its name
 */
export function createUnknownNames(
  searches: ReturnType<typeof compileSearches>,
  digest: KeyedDigest,
  costsOf: (pool: string) => LoginCosts,
  clock: Clock,
) {
  const waitUntil = createWaitUntil(clock);
  const vainSearches = new WeakMap<BackendQuery, VainSearch>();
  const pools = new Map<LdapPool, ReturnType<typeof partsOfPool>>();
  const partsOf = (pool: LdapPool) => {
    const parts = pools.get(pool) ?? partsOfPool(pool, digest, costsOf);
    pools.set(pool, parts);
    return parts;
  };

  return {
    /** Records how long searches without a result took. */
    missed: (query: BackendQuery, search: VainSearch): void => void vainSearches.set(query, search),
    /** Records how long search and bind of a known account took. */
    answered: ({ pool }: CompiledSearch, account: string, tookMs: number): void =>
      partsOf(pool).costs.observe(account, tookMs),
    spend: async (query: BackendQuery, password: Secret, context: BackendContext): Promise<void> => {
      const [search] = searches.get(query.protocol) ?? [];
      if (search === undefined || password.isEmpty || search.pool.settings.lookupPoolOnly) return;
      const { costs, decoyDn } = partsOf(search.pool);
      const { tookMs: searchMs, isRemembered } = vainSearches.get(query) ?? { tookMs: 0, isRemembered: true };
      const startedMs = performance.now() - searchMs;
      const decoy = decoyDn(query.username);
      if (decoy !== undefined) return bindInVain(search.pool, decoy, password, context);
      // A server computes no hash for a name that cannot exist, so the missing time is waited for, without a
      // connection.
      await bindInVain(search.pool, absentDn(search.baseDn.expand(query)), password, context);
      const drawn = costs.draw(query.username);
      const usualMs = costs.usualInVain(isRemembered ? "bind" : "search_and_bind", performance.now() - startedMs);
      // The longer of two times that vary alike is usually longer than either: a wait for it would reveal unknown names.
      if (drawn === undefined || drawn.usualMs - usualMs < noticeableMs) return;
      await waitUntil(startedMs + drawn.takesMs, context);
    },
  };
}

export type UnknownNames = ReturnType<typeof createUnknownNames>;
