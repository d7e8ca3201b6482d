import type { AccountNotification } from "@postern/shared/contracts";
import type { Language } from "@postern/shared/domain/localisation";
import type { SessionOrigin } from "../sessions/browser-session.ts";

export type NotificationEvent = AccountNotification["event"];

/** Where an event came from, as far as a notification may say. */
export interface NotificationOrigin extends SessionOrigin {
  /** Language of the page that was shown. */
  readonly language: Language;
  /** Attributes of the account, which contain its mail address. */
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

/** A security event of an account, for its owner and the operators. */
export interface Notification {
  readonly event: NotificationEvent;
  readonly factor?: "totp" | "webauthn" | "recovery";
  readonly account: string;
  /** Someone else may read one of the account's addresses: all of them are written to. */
  readonly isDoubted?: boolean;
  /** What an operator says to the user. Notifications with an operator as cause say nothing about a device. */
  readonly operatorText?: string;
  /** The request's GUID. */
  readonly session: string;
  readonly origin: NotificationOrigin;
}

/** Never throws and never waits, because the action is already done. */
export type Notify = (notification: Notification) => void;
