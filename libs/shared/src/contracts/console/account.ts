import { type Static, Type } from "typebox";
import { BackendDescription } from "../auth/methods.ts";
import { component, flag, list, object, optional, optionalFlag, optionalText, text, texts, time } from "../schema.ts";

const wrongCodes = Type.Optional(Type.Integer({ minimum: 1 }));

/** In a body, so that the name is in no address. The title is the name in the published API. */
export const AccountQuery = component("AccountQuestion", {
  account: text("Account or alias.", { minLength: 1, maxLength: 1024 }),
  protocol: optionalText("Protocol that selects the searches of the backends; `imap` by default.", {
    minLength: 1,
    maxLength: 64,
  }),
});
export type AccountQuery = Static<typeof AccountQuery>;

const Passkey = Type.Object({
  id: Type.String(),
  name: text("Name that the user gave it; empty if none."),
  created: optional(time("Time when it was added. Absent if the stored credential does not contain it.")),
  last_used: optional(time("When it last signed in. Absent if it never did.")),
});

const ListedAppPassword = Type.Object({
  id: Type.String(),
  label: text("Name that the user gave the device."),
  protocols: texts("Protocols for which it may be used. Empty: all."),
  created: time("When it was created."),
  last_used: optional(time("When it last signed in, accurate to one hour. Absent if it never did.")),
});

const ListedDevice = Type.Object({
  id: Type.String(),
  user_agent: text("`User-Agent` of the browser; empty if it sent none."),
  client_ip: text("Address from which the user chose it; empty if unknown."),
  since: time("When the user chose it."),
  last_used: time("When it last took the place of the second factor, or when the user chose it."),
  until: time("When the second factor is asked for again."),
});

const SentNotification = Type.Object({
  id: text("Identifier of the user notification; the same for all its channels."),
  event: text("Event that the user was notified of, such as new_device."),
  channel: text("mail or webhook."),
  outcome: text("delivered, or failed: it was refused, or all attempts failed."),
  time: time("When it was delivered or failed."),
});

const AccountChange = Type.Object({
  time: time("Time of the change."),
  event: text("Event, as in the audit stream, such as second_factor.add."),
  reason: optionalText("What it concerned, as in the audit stream, such as totp."),
  by: text("user, operator, or system (neither, such as a lock after wrong codes)."),
});
export type AccountChange = Static<typeof AccountChange>;

/** What the services know about one account. Contains no secret. */
export const AccountReport = component("AccountReport", {
  query: Type.String(),
  account: optionalText("Name of the account. Absent if no backend has it."),
  protocol: text("Protocol for which the backends were queried."),
  backends: list("In the configured order. The first that has the account decides.", BackendDescription),
  factors: optional(
    object("Absent if they could not be read, or there is no account.", {
      totp: flag("Whether there is an authenticator app."),
      recovery_codes_left: Type.Integer({ minimum: 0 }),
      wrong_codes: object("Number of consecutive wrong codes of each factor that had any.", {
        totp: wrongCodes,
        recovery: wrongCodes,
      }),
      passkeys: Type.Array(Passkey),
    }),
  ),
  app_passwords: Type.Array(ListedAppPassword),
  remembered_devices: Type.Optional(
    Type.Array(ListedDevice, {
      description:
        "Browsers on which the user is not asked for the second factor, the one that was used last first. Absent from services of earlier versions.",
    }),
  ),
  notifications: list("User notifications of the last 30 days, at most 20, newest first.", SentNotification),
  sends_notifications: optionalFlag("Whether user notifications are sent: `identity.notices.enabled`."),
  changes: Type.Optional(
    Type.Array(AccountChange, {
      description:
        "Changes of the last 30 days that users and operators made: second factors, app passwords, flushes, ended sessions, suspensions; at most 20, newest first. Absent while `observability.decision_history` is off.",
    }),
  ),
  lost_phone: optionalText(
    "Whether a lost-phone code can be created: possible, or why not: disabled, unknown, operator, suspended, doubted (a suspicious sign-in is unanswered) or no_factor. Absent if it could not be determined.",
  ),
  incomplete: texts("What could not be determined, and why."),
});
export type AccountReport = Static<typeof AccountReport>;
