import { accountSuspension, type Reply, type Request } from "@postern/shared/contracts";
import type { Bus } from "@postern/shared/platform/bus";
import type { OidcContext } from "../oidc/context.ts";
import type { SessionStore } from "../sessions/session-store-redis.ts";
import type { SingleLogout } from "../sessions/single-logout.ts";
import type { NotificationsContext } from "../user-notifications/context.ts";

/** Operators suspend one account after the other. */
const maxInFlight = 16;

interface Parts {
  readonly bus: Pick<Bus, "serve">;
  /** Undefined where no sessions are kept. */
  readonly sessions: SessionStore | undefined;
  readonly singleLogout: SingleLogout | undefined;
  readonly oidc: OidcContext | undefined;
  readonly notifications: NotificationsContext | undefined;
}

/** Ends the browser sessions and tokens of an account that an operator suspends or resumes, and notifies its user at every known address. */
export function serveSuspensions({ bus, sessions, singleLogout, oidc, notifications }: Parts): void {
  const endAll = async (account: string): Promise<number> => {
    const count = (await sessions?.listAll(account))?.length ?? 0;
    if (oidc !== undefined) await oidc.endSessions.endOwners(await oidc.ownersOf(account));
    else for (const session of (await sessions?.endAll(account)) ?? []) await singleLogout?.ended(session);
    return count;
  };
  const serve = async (request: Request<typeof accountSuspension>): Promise<Reply<typeof accountSuspension>> => {
    const { event, account, session, reason = "", attributes } = request;
    const count = await endAll(account);
    if (notifications !== undefined && attributes !== undefined) {
      const origin = { clientIp: "", userAgent: "", language: notifications.language, attributes };
      // In a takeover, someone else may read one of the addresses.
      notifications.notifier.notify({ event, account, session, origin, isDoubted: true, operatorText: reason });
    }
    return { sessions: count };
  };
  bus.serve(accountSuspension, serve, { maxInFlight });
}
