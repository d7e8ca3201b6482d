import type { EngineCall } from "../login/engine-call.ts";
import type { Notification, NotificationEvent, NotificationOrigin } from "../user-notifications/notification.ts";

/** The account whose factors are changed, with session and request. */
export interface Subject {
  readonly account: string;
  readonly sessionUid: string;
  readonly context: EngineCall;
  readonly origin: NotificationOrigin;
}

export type Outcome = "done" | "denied" | "throttled" | "refused" | "absent" | "exists";

/** The user notification about a change. */
export function notificationOf(
  { account, context, origin }: Subject,
  event: NotificationEvent,
  factor?: Notification["factor"],
): Notification {
  return { event, account, session: context.session, origin, ...(factor === undefined ? {} : { factor }) };
}
