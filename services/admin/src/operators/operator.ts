import { createHmac } from "node:crypto";
import type { Clock } from "@postern/shared/platform/time";
import type { AskingOperator } from "./operator-api.ts";
import { proofMs } from "./operator-session.ts";
import type { OperatorSession, OperatorSessions } from "./operator-sessions-redis.ts";
import type { FindRole } from "./role-lookup.ts";

/** The operator of a request. */
export interface Operator extends AskingOperator {
  /** False if no engine could say it: the role is that of the sign-in, and permits no action. */
  readonly isRoleCurrent: boolean;
  /** Signed in with the second factor within the last five minutes. */
  readonly isProved: boolean;
  /** For the forms of this session. */
  readonly csrfToken: string;
  readonly cookie: string;
  /** The last searches of this session, the latest first. Absent if there were none. */
  readonly searches?: readonly string[];
}

/** `withdrawn`: the account of the session no longer has a role, or is suspended. */
export type FoundOperator = Operator | "none" | { readonly withdrawn: string };
interface OperatorRequest {
  readonly cookie: string | undefined;
  readonly session: string;
  readonly clientIp: string;
  /** Not a request of the operator: the session is not prolonged. */
  readonly isPassive?: true;
}

/** The key is the cookie, which only this browser has. */
function csrfTokenOf(cookie: string): string {
  return createHmac("sha256", cookie).update("console form").digest("base64url");
}

/** Asks for the role on each request, so that a withdrawn one ends with the next. @throws AppError REDIS_UNAVAILABLE */
export function createFindOperator(
  sessions: OperatorSessions,
  findRole: FindRole,
  isSuspended: (account: string) => boolean,
  clock: Clock,
) {
  const rightNow = async ({ account, role, domain }: OperatorSession, guid: string) => {
    try {
      return { right: (await findRole(account, guid)).right, isRoleCurrent: true };
    } catch {
      return { right: { role, domain }, isRoleCurrent: false };
    }
  };
  return async ({ cookie, session: guid, clientIp, isPassive }: OperatorRequest): Promise<FoundOperator> => {
    const stored =
      cookie === undefined ? undefined : await (isPassive === true ? sessions.peek(cookie) : sessions.find(cookie));
    if (cookie === undefined || stored === undefined) return "none";
    const { right, isRoleCurrent } = await rightNow(stored, guid);
    if (right === undefined || isSuspended(stored.account)) {
      await sessions.end(cookie);
      return { withdrawn: stored.account };
    }
    return {
      account: stored.account,
      ...right,
      isRoleCurrent,
      clientIp,
      session: guid,
      isProved: clock.now() - stored.provedMs < proofMs,
      csrfToken: csrfTokenOf(cookie),
      cookie,
      ...(stored.searches !== undefined && { searches: stored.searches }),
    };
  };
}

export type FindOperator = ReturnType<typeof createFindOperator>;
