import { type Static, Type } from "typebox";
import { BackendDescription } from "../auth/account-description.ts";

const time = (description: string) => Type.String({ format: "date-time", description });
const wrongCodes = Type.Optional(Type.Integer({ minimum: 1 }));

/** In a body, so that the name is in no address. The title is the name in the published API. */
export const AccountQuery = Type.Object(
  {
    account: Type.String({ minLength: 1, maxLength: 1024, description: "Account or alias." }),
    protocol: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "Protocol that selects the searches of the backends; `imap` by default.",
      }),
    ),
  },
  { title: "AccountQuestion" },
);
export type AccountQuery = Static<typeof AccountQuery>;

const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String({ description: "Name that the user gave it; empty if none." }),
  created: Type.Optional(time("Time when it was added. Absent if the stored credential does not contain it.")),
  last_used: Type.Optional(time("When it last signed in. Absent if it never did.")),
});

const ListedAppPassword = Type.Object({
  id: Type.String(),
  label: Type.String({ description: "Name that the user gave the device." }),
  protocols: Type.Array(Type.String(), { description: "Protocols for which it may be used. Empty: all." }),
  created: time("When it was created."),
  last_used: Type.Optional(time("When it last signed in, accurate to one hour. Absent if it never did.")),
});

const SentNotification = Type.Object({
  id: Type.String({ description: "Identifier of the user notification; the same for all its channels." }),
  event: Type.String({ description: "Event that the user was notified of, such as new_device." }),
  channel: Type.String({ description: "mail or webhook." }),
  outcome: Type.String({ description: "delivered, or failed: it was refused, or all attempts failed." }),
  time: time("When it was delivered or failed."),
});

/** What the services know about one account. Contains no secret. */
export const AccountReport = Type.Object(
  {
    query: Type.String(),
    account: Type.Optional(Type.String({ description: "Name of the account. Absent if no backend has it." })),
    protocol: Type.String({ description: "Protocol for which the backends were queried." }),
    backends: Type.Array(BackendDescription, {
      description: "In the configured order. The first that has the account decides.",
    }),
    factors: Type.Optional(
      Type.Object(
        {
          totp: Type.Boolean({ description: "Whether there is an authenticator app." }),
          recovery_codes_left: Type.Integer({ minimum: 0 }),
          wrong_codes: Type.Object(
            { totp: wrongCodes, recovery: wrongCodes },
            { description: "Number of consecutive wrong codes of each factor that had any." },
          ),
          passkeys: Type.Array(Passkey),
        },
        { description: "Absent if they could not be read, or there is no account." },
      ),
    ),
    app_passwords: Type.Array(ListedAppPassword),
    notifications: Type.Array(SentNotification, {
      description: "User notifications of the last 30 days, at most 20, newest first.",
    }),
    sends_notifications: Type.Optional(
      Type.Boolean({ description: "Whether user notifications are sent: `identity.notices.enabled`." }),
    ),
    incomplete: Type.Array(Type.String(), { description: "What could not be determined, and why." }),
  },
  { title: "AccountReport" },
);
export type AccountReport = Static<typeof AccountReport>;
