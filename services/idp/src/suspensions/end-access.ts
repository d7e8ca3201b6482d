import { accountSuspension, type Reply, type Request } from "@postern/shared/contracts";
import type { LostPhoneCodes } from "@postern/shared/domain/lost-phone";
import type { RememberedDevices } from "@postern/shared/domain/remembered-devices";
import type { Suspensions } from "@postern/shared/domain/suspensions";
import type { Bus } from "@postern/shared/platform/bus";
import type { Logger } from "@postern/shared/platform/logging";
import type { OidcContext } from "../oidc/context.ts";
import type { SessionStore } from "../sessions/session-store-redis.ts";
import type { SingleLogout } from "../sessions/single-logout.ts";
import type { NotificationsContext } from "../user-notifications/context.ts";

/** Operators suspend one account after the other. */
const maxInFlight = 16;
/** The request that follows a suspension usually arrives first. It also counts the sessions, for the operator. */
const repeatAfterMs = 5000;

interface Parts {
  readonly bus: Pick<Bus, "serve">;
  /** Undefined where no sessions are kept. */
  readonly sessions: SessionStore | undefined;
  readonly lostPhone: Pick<LostPhoneCodes, "forget">;
  /** Undefined without the secret that encrypts them. */
  readonly devices: Pick<RememberedDevices, "forgetAll"> | undefined;
  readonly singleLogout: SingleLogout | undefined;
  readonly oidc: OidcContext | undefined;
  readonly notifications: NotificationsContext | undefined;
  readonly suspensions: Pick<Suspensions, "find" | "onNew">;
  readonly logger: Logger;
}

/** Ends the browser sessions, remembered devices and tokens of exactly this account, however other accounts, subjects and clients are called. */
function createEndAll({ sessions, lostPhone, devices, singleLogout, oidc }: Parts) {
  return async (account: string): Promise<number> => {
    await Promise.all([devices?.forgetAll(account), lostPhone.forget(account)]);
    const count = (await sessions?.listAll(account))?.length ?? 0;
    if (oidc === undefined) {
      for (const session of (await sessions?.endAll(account)) ?? []) await singleLogout?.ended(session);
      return count;
    }
    const subjects = (await oidc.subjectsOfAccount(account)).map((id) => ({ kind: "user", id }) as const);
    await oidc.endSessions.endOwners({ accounts: [account], subjects });
    return count;
  };
}

/**
 * Ends the access of every suspended account that is new to this process, at the start all of them: the request may have been lost, or have
 * failed. Repeated until it succeeds or the account is resumed.
 */
function endAccessOfNew({ suspensions, logger }: Parts, endAll: (account: string) => Promise<number>) {
  const pending = new Set<string>();
  let isDue = false;
  const endPending = async (): Promise<void> => {
    for (const account of pending.values().toArray()) {
      try {
        if (suspensions.find(account) !== undefined) await endAll(account);
        pending.delete(account);
      } catch (err) {
        logger.warn({ account, err }, "the sessions and tokens of a suspended account were not ended: tried again");
      }
    }
    isDue = false;
    if (pending.size > 0) schedule();
  };
  const schedule = (): void => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => void endPending(), repeatAfterMs).unref();
  };
  suspensions.onNew((accounts) => {
    for (const account of accounts) pending.add(account);
    schedule();
  });
  return { done: (account: string) => pending.delete(account) };
}

/** Ends the browser sessions and tokens of an account that an operator suspends or resumes, and notifies its user at every known address. */
export function serveSuspensions(parts: Parts): void {
  const { bus, notifications } = parts;
  const endAll = createEndAll(parts);
  const ofNew = endAccessOfNew(parts, endAll);
  const serve = async (request: Request<typeof accountSuspension>): Promise<Reply<typeof accountSuspension>> => {
    const { event, account, session, reason = "", attributes } = request;
    const count = await endAll(account);
    ofNew.done(account);
    if (notifications !== undefined && attributes !== undefined) {
      const origin = { clientIp: "", userAgent: "", language: notifications.language, attributes };
      // In a takeover, someone else may read one of the addresses.
      notifications.notifier.notify({ event, account, session, origin, isDoubted: true, operatorText: reason });
    }
    return { sessions: count };
  };
  bus.serve(accountSuspension, serve, { maxInFlight });
}
