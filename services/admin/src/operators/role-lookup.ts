import {
  type AuthDecision,
  type AuthRequest,
  type ConsoleRole,
  consoleRoles,
  type Ok,
  rankOfRole,
} from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";

export interface RoleSettings {
  /** Empty: the names of the account's groups. */
  readonly attribute: string;
  readonly roles: Readonly<Record<ConsoleRole, readonly string[]>>;
}

/** An account as the backends have it. */
export interface KnownAccount {
  /** Its own name; the name as asked if no backend knows it. */
  readonly account: string;
  /** Undefined: not an operator. */
  readonly role: ConsoleRole | undefined;
  /** No backend has an enabled account of this name. */
  readonly isUnknown?: true;
}

/** Looks an account up at an engine. @throws AppError if its role cannot be determined */
export type FindRole = (name: string, session: string) => Promise<KnownAccount>;

function valuesOf({ attributes, groups }: Pick<Ok, "attributes" | "groups">, name: string): readonly string[] {
  if (name === "") return groups ?? [];
  const found = Object.entries(attributes).find(([key]) => key.toLowerCase() === name.toLowerCase());
  return found?.[1] ?? [];
}

/** The highest role that one of the values selects. */
export function roleOf(account: Pick<Ok, "attributes" | "groups">, settings: RoleSettings): ConsoleRole | undefined {
  const values = valuesOf(account, settings.attribute);
  return consoleRoles.findLast((role) => settings.roles[role].some((one) => values.includes(one)));
}

/** Without the caches, so that a withdrawn role ends with the change in the backend. */
function lookupRequest(username: string, session: string): AuthRequest {
  return {
    session,
    username,
    operation: "lookup",
    dialect: "idp",
    protocol: "idp",
    tls: true,
    memoryCache: false,
    sharedCache: false,
  };
}

export function createRoleLookup(
  settings: () => RoleSettings,
  decide: (
    request: AuthRequest,
    context: { readonly deadline: number; readonly signal: AbortSignal },
  ) => Promise<AuthDecision>,
  timeoutMs: () => number,
  clock: Clock,
): FindRole {
  return async (name, session) => {
    const waitMs = timeoutMs();
    const context = { deadline: clock.now() + waitMs, signal: AbortSignal.timeout(waitMs) };
    const decision = await decide(lookupRequest(name, session), context);
    if (decision.outcome === "ok") return { account: decision.account, role: roleOf(decision, settings()) };
    if (decision.outcome === "fail" && decision.reason === "unknown_user")
      return { account: name, role: undefined, isUnknown: true };
    const why = decision.outcome === "tempfail" ? decision.code : decision.outcome;
    throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `the role of an account cannot be determined: ${why}` });
  };
}

/** Whether an operator of this role may act on an account of that role. */
export function isAbove(role: ConsoleRole, other: ConsoleRole | undefined): boolean {
  return rankOfRole(role) > rankOfRole(other);
}
