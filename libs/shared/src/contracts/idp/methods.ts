import { Type } from "typebox";
import { defineMethod } from "../define.ts";

/** Notifies the owner of an account and the operators of a suspicious sign-in, once. Served only while user notifications are enabled. */
export const notifySuspiciousSignIn = defineMethod({
  service: "idp",
  name: "notify-suspicious-sign-in",
  major: 1,
  request: Type.Object({
    session: Type.String({ minLength: 1, maxLength: 64 }),
    account: Type.String({ minLength: 1, maxLength: 1024 }),
    attributes: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: "Attributes of the account, of which one is its mail address.",
    }),
    clientIp: Type.Optional(Type.String()),
    userAgent: Type.Optional(Type.String()),
    acceptLanguage: Type.Optional(Type.String()),
  }),
  reply: Type.Object({}),
});
