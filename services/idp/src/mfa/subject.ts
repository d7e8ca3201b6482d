import type { EngineCall } from "../login/engine-call.ts";
import type { Notification, NotificationEvent, NotificationOrigin } from "../user-notifications/notification.ts";
import type { SessionFacts } from "./suspicious-sign-ins.ts";

/** The account whose factors are changed, with session and request. */
export interface Subject {
  readonly account: string;
  readonly sessionUid: string;
  readonly signIn: SessionFacts;
  readonly context: EngineCall;
  readonly origin: NotificationOrigin;
}

export type Outcome = "done" | "denied" | "throttled" | "refused" | "absent" | "exists" | "doubted";

/** The user notification about a change. */
export function notificationOf(
  { account, context, origin }: Subject,
  event: NotificationEvent,
  factor?: Notification["factor"],
  isDoubted = false,
): Notification {
  const { session } = context;
  return {
    event,
    account,
    session,
    origin,
    ...(factor === undefined ? {} : { factor }),
    ...(isDoubted && { isDoubted }),
  };
}
