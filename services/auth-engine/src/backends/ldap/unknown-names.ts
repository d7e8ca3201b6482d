import { randomUUID } from "node:crypto";
import { setImmediate, setTimeout } from "node:timers/promises";
import { createWeightedChoice } from "@postern/shared/domain/passwords";
import type { KeyedDigest, Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import type { BackendContext, BackendQuery } from "../backend.ts";
import { classifyFailure } from "./errors.ts";
import type { LdapPool } from "./ldap-pool.ts";
import type { LoginCosts } from "./login-costs.ts";
import type { CompiledSearch, compileSearches } from "./select-search.ts";

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
