import { randomUUID } from "node:crypto";
import type { Bus } from "../bus/bus.ts";
import type { Config } from "../config/index.ts";
import { authenticate } from "../contracts/auth/methods.ts";
import type { Clock } from "../time/clock.ts";

export interface AccountNames {
  /** Accounts that the directories know by this name. */
  readonly accounts: readonly string[];
  /** False when a directory or engine that might know it could not be asked. */
  readonly isComplete: boolean;
}

/** The accounts behind a login name; never rejects. */
export type FindAccountNames = (user: string) => Promise<AccountNames>;

export interface AccountNameDeps {
  readonly bus: Pick<Bus, "request">;
  readonly clock: Clock;
  /** One of each search that the directories have: they may name accounts differently. */
  readonly protocols: () => readonly string[];
  readonly timeoutMs: number;
}

/** More kinds of searches than any site has. */
const maxProtocols = 16;

/** A protocol for each search of the directories; searches for all others are asked by a name that none has. */
export function searchProtocols({ auth }: Config): readonly string[] {
  const { ldap, sql } = auth.backends;
  const named = [...ldap.search, ...sql.search].flatMap(({ protocol }) => protocol);
  return [...new Set(named.map((protocol) => (protocol === "*" ? "flush" : protocol)))].slice(0, maxProtocols);
}

/**
 * Asks the directories, and no cache. A wildcard of a name has no meaning here: the directory gets it as it is.
 */
export function createAccountNames({ bus, clock, protocols, timeoutMs }: AccountNameDeps): FindAccountNames {
  const ask = async (user: string, protocol: string): Promise<string | undefined> => {
    const question = {
      session: randomUUID(),
      operation: "lookup",
      dialect: "json",
      username: user,
      protocol,
      tls: true,
      memoryCache: false,
      sharedCache: false,
    } as const;
    const signal = AbortSignal.timeout(timeoutMs);
    const decision = await bus.request(authenticate, question, { deadline: clock.now() + timeoutMs, signal });
    if (decision.outcome === "tempfail") throw new Error(`the account could not be looked up: ${decision.code}`);
    return decision.outcome === "ok" ? decision.account : undefined;
  };
  return async (user) => {
    const answers = await Promise.allSettled(protocols().map((protocol) => ask(user, protocol)));
    const accounts = answers.flatMap((one) => (one.status === "fulfilled" ? (one.value ?? []) : []));
    return {
      accounts: [...new Set(accounts)],
      isComplete: answers.every(({ status }) => status === "fulfilled"),
    };
  };
}
