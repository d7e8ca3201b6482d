import { randomUUID } from "node:crypto";
import type { AuthDecision } from "../../contracts/auth/decision.ts";
import { authenticate, describeAccount } from "../../contracts/auth/methods.ts";
import type { Bus } from "../../platform/bus/connect.ts";
import { abortAfter } from "../../platform/concurrency/deadline.ts";
import type { Config } from "../../platform/config/index.ts";
import { steadyClock } from "../../platform/time/clock.ts";

/** A backend that hangs must not delay the part of a flush that does not need it. */
const lookUpTimeoutMs = 1000;
export const lookUpLimits = () => ({
  deadline: steadyClock.now() + lookUpTimeoutMs,
  signal: abortAfter(lookUpTimeoutMs),
});

/** More kinds of searches than any site has. */
const maxProtocols = 16;

/** One protocol for each search of the backends. Searches for all other protocols are represented by a name that no search lists. */
export function searchProtocols({ auth }: Config): readonly string[] {
  const { ldap, sql } = auth.backends;
  const named = [...ldap.search, ...sql.search].flatMap(({ protocol }) => protocol);
  // Scripts serve every protocol.
  const all = named.length === 0 ? ["*"] : named;
  return [...new Set(all.map((protocol) => (protocol === "*" ? "flush" : protocol)))].slice(0, maxProtocols);
}

const fulfilled = <Value>(results: readonly PromiseSettledResult<Value>[]): readonly Value[] =>
  results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));

/** Whether the backends answered that they have no such account. */
function isUnknown(decision: AuthDecision): boolean {
  return decision.outcome === "fail" && decision.reason === "unknown_user";
}

/**
 * Queries the backends and no cache, so that each compares the name as it does at a sign-in. Wildcards in the name are passed to the
 * backend literally.
 * @param protocolsOf one protocol for each search of the backends, because searches may name accounts differently
 */
export function createAccountNames(bus: Pick<Bus, "request">, protocolsOf: () => readonly string[]) {
  const lookUp = async (username: string, protocol: string): Promise<AuthDecision> => {
    const skipped = { memoryCache: false, sharedCache: false };
    const lookup = { session: randomUUID(), operation: "lookup", dialect: "json", tls: true, ...skipped } as const;
    const decision = await bus.request(authenticate, { ...lookup, username, protocol }, lookUpLimits());
    if (decision.outcome === "tempfail") throw new Error(`the account could not be looked up: ${decision.code}`);
    return decision;
  };
  /** Accounts that no lookup returns: disabled ones, those that only the search for second factors finds, and those that a policy hides. */
  const describe = async (username: string, protocol: string, spellings: Set<string>): Promise<readonly string[]> => {
    const { backends, username: spelled } = await bus.request(describeAccount, { username, protocol }, lookUpLimits());
    if (spelled !== undefined) spellings.add(spelled);
    // The first backend that has the account decides.
    const at = backends.findIndex(({ outcome }) => outcome === "found" || outcome === "disabled");
    const queried = at === -1 ? backends : backends.slice(0, at);
    if (queried.some(({ outcome }) => outcome === "unavailable")) throw new Error("a backend does not answer");
    const found = backends[at];
    return found === undefined ? [] : [found.account ?? username];
  };
  /** Never rejects. */
  return async (user: string) => {
    const protocols = protocolsOf();
    const spellings = new Set<string>();
    const [looked, described] = await Promise.all([
      Promise.allSettled(protocols.map((protocol) => lookUp(user, protocol))),
      Promise.allSettled(protocols.map((protocol) => describe(user, protocol, spellings))),
    ]);
    const decisions = fulfilled(looked);
    const names = decisions.flatMap((one) => (one.outcome === "ok" ? [one.account] : []));
    const accounts: readonly string[] = [...new Set([...names, ...fulfilled(described).flat()])];
    return {
      /** Accounts that backends find under this name. */
      accounts,
      /** Other spellings of the name, under which its sign-ins are counted. */
      spellings: [...spellings],
      /** False if a backend or engine that may know the name could not be queried. */
      isComplete: [...looked, ...described].every(({ status }) => status === "fulfilled"),
      /** A policy, script or other control denied a lookup: whether the name is an account's is unknown, and a repetition would be denied too. */
      isDenied: decisions.some((one) => one.outcome !== "ok" && !isUnknown(one)),
    };
  };
}

/** Finds the accounts behind a login name. */
export type FindAccountNames = ReturnType<typeof createAccountNames>;
