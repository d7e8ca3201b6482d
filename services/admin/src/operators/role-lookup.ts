import type { AuthDecision, AuthRequest, OperatorRight } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import type { ReadRight } from "./operator-right.ts";

/** An account as the backends have it. */
export interface KnownAccount {
  /** Its own name; the name as asked if no backend knows it. */
  readonly account: string;
  /** Undefined: not an operator. */
  readonly right: OperatorRight | undefined;
  /** No backend has an enabled account of this name, or its domain is not enabled. */
  readonly isUnknown?: true;
}

/** What an engine says of a name that nobody may sign in with. */
const unknownReasons: ReadonlySet<string> = new Set(["unknown_user", "domain"]);

/** A look-up without the caches, so that a role that was withdrawn or assigned a moment ago counts. */
export const freshLookup = (username: string, session: string) =>
  ({
    session,
    username,
    operation: "lookup",
    dialect: "idp",
    protocol: "idp",
    tls: true,
    memoryCache: false,
    sharedCache: false,
  }) as const satisfies AuthRequest;

/** Looks an account up at an engine. @throws AppError if its role cannot be determined */
export function createRoleLookup(
  readRight: ReadRight,
  decide: (
    request: AuthRequest,
    context: { readonly deadline: number; readonly signal: AbortSignal },
  ) => Promise<AuthDecision>,
  timeoutMs: () => number,
  clock: Clock,
) {
  return async (name: string, session: string): Promise<KnownAccount> => {
    const waitMs = timeoutMs();
    const context = { deadline: clock.now() + waitMs, signal: AbortSignal.timeout(waitMs) };
    const decision = await decide(freshLookup(name, session), context);
    if (decision.outcome === "ok") return { account: decision.account, right: await readRight(decision) };
    if (decision.outcome === "fail" && unknownReasons.has(decision.reason))
      return { account: name, right: undefined, isUnknown: true };
    const why = decision.outcome === "tempfail" ? decision.code : decision.outcome;
    throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `the role of an account cannot be determined: ${why}` });
  };
}

export type FindRole = ReturnType<typeof createRoleLookup>;
