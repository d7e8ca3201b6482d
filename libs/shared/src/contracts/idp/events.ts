import { type Static, Type } from "typebox";
import { defineEvent } from "../define.ts";

export const noticeEvents = [
  "new_device",
  "factor_added",
  "factor_removed",
  "factor_renamed",
  "recovery_code_used",
  "recovery_codes_made",
  "app_password_created",
  "app_password_deleted",
] as const;

/** What became of an account; the body of a webhook too. Whoever gets one twice knows it by its id. */
export const AccountNotice = Type.Object({
  id: Type.String({ description: "of this notice" }),
  event: Type.Enum<[...typeof noticeEvents]>([...noticeEvents]),
  factor: Type.Optional(Type.Enum<["totp", "webauthn"]>(["totp", "webauthn"])),
  account: Type.String({ description: "account name" }),
  time: Type.String({ description: "RFC 3339, UTC" }),
  client_ip: Type.Optional(Type.String()),
  user_agent: Type.Optional(Type.String()),
  session: Type.String({ description: "GUID of the request, as in logs" }),
});
export type AccountNotice = Static<typeof AccountNotice>;

/** Told by `identity.notices.enabled`. */
export const accountNoticed = defineEvent({ domain: "account", fact: "noticed", major: 1, body: AccountNotice });
