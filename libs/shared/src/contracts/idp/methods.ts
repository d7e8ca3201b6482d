import { Type } from "typebox";
import { defineMethod } from "../define.ts";
import { count, flag, oneOf, optional, optionalText, textsByName } from "../schema.ts";

/**
 * Notifies the owner of an account and the operators of a suspicious sign-in. The reply says that the notification is stored. Served only
 * while user notifications are enabled.
 */
export const notifySuspiciousSignIn = defineMethod({
  service: "idp",
  name: "notify-suspicious-sign-in",
  major: 1,
  request: Type.Object({
    /** A repeated request has the same identifier, so that receivers recognise duplicates. */
    id: Type.String({ minLength: 1, maxLength: 64, pattern: "^[0-9A-Za-z-]+$" }),
    /** Time of the sign-in, since the epoch. */
    atMs: Type.Integer({ minimum: 0, maximum: 8.64e15 }),
    session: Type.String({ minLength: 1, maxLength: 64 }),
    account: Type.String({ minLength: 1, maxLength: 1024 }),
    attributes: textsByName("Attributes of the account, of which one is its mail address."),
    clientIp: Type.Optional(Type.String()),
    userAgent: Type.Optional(Type.String()),
    acceptLanguage: Type.Optional(Type.String()),
  }),
  reply: Type.Object({}),
});

/**
 * Notifies the owner of an account, at every known address, that an operator creates a code that takes the place of the second factor once.
 * The reply says that the notification is stored. Served only while user notifications are enabled.
 */
export const notifyLostPhone = defineMethod({
  service: "idp",
  name: "notify-lost-phone",
  major: 1,
  request: Type.Object({
    session: Type.String({ minLength: 1, maxLength: 64 }),
    account: Type.String({ minLength: 1, maxLength: 1024 }),
    attributes: textsByName("Attributes of the account, of which some are its mail addresses."),
  }),
  reply: Type.Object({ isSent: flag("False if the user has no address, and the site no webhook.") }),
});

/**
 * An operator has suspended the account, or is about to resume it: ends its browser sessions and tokens, and notifies its user. Sessions that
 * began while the account was being suspended must not come back with it, so both do.
 */
export const accountSuspension = defineMethod({
  service: "idp",
  name: "account-suspension",
  major: 1,
  request: Type.Object({
    event: oneOf("account_suspended", "account_resumed"),
    account: Type.String({ minLength: 1, maxLength: 1024 }),
    session: Type.String({ minLength: 1, maxLength: 64 }),
    reason: optionalText("Text for the user."),
    attributes: optional(
      textsByName(
        "Attributes of the account, of which some are its mail addresses. Absent: no backend has it, and nobody is notified.",
      ),
    ),
  }),
  reply: Type.Object({ sessions: count("Browser sessions that were ended.") }),
});
