import { randomUUID } from "node:crypto";
import type { AuthDecision } from "../../contracts/auth/decision.ts";
import { authenticate } from "../../contracts/auth/methods.ts";
import type { Bus } from "../../platform/bus/bus.ts";
import { abortAfter } from "../../platform/concurrency/deadline.ts";
import type { Config } from "../../platform/config/index.ts";
import type { Clock } from "../../platform/time/clock.ts";

export interface AccountNames {
  /** Accounts that backends find under this name. */
  readonly accounts: readonly string[];
  /** False if a backend or engine that may know the name could not be queried. */
  readonly isComplete: boolean;
  /** True if a policy, script or other control denied a lookup: whether the name is an account's is unknown, and a repetition would be denied too. */
  readonly isDenied: boolean;
}

/** Finds the accounts behind a login name; never rejects. */
export type FindAccountNames = (user: string) => Promise<AccountNames>;

export interface AccountNameDeps {
  readonly bus: Pick<Bus, "request">;
  readonly clock: Clock;
  /** One protocol for each search of the backends, because searches may name accounts differently. */
  readonly protocols: () => readonly string[];
  readonly timeoutMs: number;
}

/** More kinds of searches than any site has. */
const maxProtocols = 16;

/**
 * One protocol for each search of the backends. Searches for all other protocols are represented by a name that no search lists.
 */
export function searchProtocols({ auth }: Config): readonly string[] {
  const { ldap, sql } = auth.backends;
  const named = [...ldap.search, ...sql.search].flatMap(({ protocol }) => protocol);
  return [...new Set(named.map((protocol) => (protocol === "*" ? "flush" : protocol)))].slice(0, maxProtocols);
}

/** Whether the backends answered that they have no such account. */
function isUnknown(decision: AuthDecision): boolean {
  return decision.outcome === "fail" && decision.reason === "unknown_user";
}

/** Queries the backends and no cache. Wildcards in the name are passed to the backend literally. */
export function createAccountNames({ bus, clock, protocols, timeoutMs }: AccountNameDeps): FindAccountNames {
  const ask = async (user: string, protocol: string): Promise<AuthDecision> => {
    const request = {
      session: randomUUID(),
      operation: "lookup",
      dialect: "json",
      username: user,
      protocol,
      tls: true,
      memoryCache: false,
      sharedCache: false,
    } as const;
    const signal = abortAfter(timeoutMs);
    const decision = await bus.request(authenticate, request, { deadline: clock.now() + timeoutMs, signal });
    if (decision.outcome === "tempfail") throw new Error(`the account could not be looked up: ${decision.code}`);
    return decision;
  };
  return async (user) => {
    const answers = await Promise.allSettled(protocols().map((protocol) => ask(user, protocol)));
    const decisions = answers.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    return {
      accounts: [...new Set(decisions.flatMap((one) => (one.outcome === "ok" ? [one.account] : [])))],
      isComplete: decisions.length === answers.length,
      isDenied: decisions.some((one) => one.outcome !== "ok" && !isUnknown(one)),
    };
  };
}
