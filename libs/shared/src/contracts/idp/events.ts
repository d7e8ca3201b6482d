import { type Static, Type } from "typebox";
import { defineEvent } from "../define.ts";
import { text } from "../schema.ts";

/** The events on the bus. Services of earlier versions reject any other. */
const publishedEvents = [
  "new_device",
  "factor_added",
  "factor_removed",
  "factor_renamed",
  "recovery_code_used",
  "recovery_codes_made",
  "app_password_created",
  "app_password_deleted",
  "factor_guessed",
  "factor_locked",
] as const;

export const notificationEvents = [...publishedEvents, "suspicious_sign_in"] as const;

/** A security event of an account, also the body of a webhook. Receivers recognise duplicates by the id. */
export const AccountNotification = Type.Object({
  id: text("Identifier of this user notification."),
  event: Type.Enum<[...typeof notificationEvents]>([...notificationEvents]),
  factor: Type.Optional(Type.Enum<["totp", "webauthn", "recovery"]>(["totp", "webauthn", "recovery"])),
  account: text("Account name."),
  time: text("Time in UTC (RFC 3339)."),
  client_ip: Type.Optional(Type.String()),
  user_agent: Type.Optional(Type.String()),
  session: text("GUID of the request, as in logs."),
});
export type AccountNotification = Static<typeof AccountNotification>;

/** Sent while `identity.notices.enabled` is true. */
export const accountNotified = defineEvent({
  domain: "account",
  fact: "noticed",
  major: 1,
  body: Type.Object({
    ...AccountNotification.properties,
    event: Type.Enum<[...typeof publishedEvents]>([...publishedEvents]),
  }),
});
