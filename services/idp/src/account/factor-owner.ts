import type { SessionFacts } from "../second-factors/suspicious-sign-ins.ts";
import type { Notification, NotificationEvent, NotificationOrigin } from "../user-notifications/notification.ts";
import type { EngineCall } from "../visit/visit.ts";

/** The account whose factors are changed, with session and request. */
export interface FactorOwner {
  readonly account: string;
  readonly sessionUid: string;
  readonly signIn: SessionFacts;
  readonly context: EngineCall;
  readonly origin: NotificationOrigin;
}

export type ChangeOutcome = "done" | "denied" | "throttled" | "refused" | "absent" | "exists" | "doubted";

/** The user notification about a change. */
export function notificationOf(
  { account, context, origin }: FactorOwner,
  event: NotificationEvent,
  factor?: Notification["factor"],
  isDoubted = false,
): Notification {
  const about = { event, account, session: context.session, origin };
  return { ...about, ...(factor !== undefined && { factor }), ...(isDoubted && { isDoubted }) };
}
