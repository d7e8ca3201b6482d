import { randomInt } from "node:crypto";
import { createWeightedChoice } from "@postern/shared/domain/passwords";
import { createBoundedCache } from "@postern/shared/platform/cache";
import type { KeyedDigest } from "@postern/shared/platform/crypto";
/** What was requested from the server for an unknown name. */
export type VainWork = "bind" | "search_and_bind";

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
