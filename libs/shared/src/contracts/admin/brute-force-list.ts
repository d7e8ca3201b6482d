import { type Static, Type } from "typebox";
import { optionalText, time } from "../schema.ts";
import { Envelope } from "./envelope.ts";

const filter = (what: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 1000, description: what }));

/** Body of `POST /api/v1/bruteforce/list`. Without filters, everything is listed; with filters, only the entries that they select. */
export const BruteForceListRequest = Type.Object({
  accounts: filter("Accounts whose addresses are requested."),
  ip_addresses: filter("Addresses, or networks as they appear in the list."),
});
export type BruteForceListRequest = Static<typeof BruteForceListRequest>;

const error = Type.Union([Type.Null(), Type.String()], {
  description: "Reason why the list is incomplete, otherwise null.",
});

/** The account delay of an account. */
export const DelayedAccount = Type.Object({
  wrong_passwords: Type.Integer({ minimum: 1, description: "Number of distinct wrong passwords, from all networks." }),
  until: time("End of the delay. Another wrong password moves it."),
});
export type DelayedAccount = Static<typeof DelayedAccount>;

/** Bans by network, and the addresses that sent wrong passwords for accounts. */
export const BruteForceListResult = Type.Tuple([
  Type.Object({ ip_addresses: Type.Record(Type.String(), Type.String()), error }),
  Type.Object({
    accounts: Type.Record(Type.String(), Type.Array(Type.String())),
    slowed: Type.Optional(
      Type.Record(Type.String(), DelayedAccount, {
        description: "Accounts whose logins from unknown networks are delayed.",
      }),
    ),
    error,
  }),
]);
export type BruteForceListResult = Static<typeof BruteForceListResult>;

/** Answer of `GET` and `POST /api/v1/bruteforce/list`. `next` comes with pages only (query `limit`), while there are more. */
export const BruteForceList = Type.Intersect([
  Envelope("bruteforce", "list", BruteForceListResult),
  Type.Object({
    next: optionalText("Value of the query parameter cursor for the next page."),
  }),
]);
export type BruteForceList = Static<typeof BruteForceList>;
