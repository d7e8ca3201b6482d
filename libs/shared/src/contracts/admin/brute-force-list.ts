import { type Static, Type } from "typebox";
import { Envelope } from "./envelope.ts";

const filter = (what: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 1000, description: what }));

/** Body of `POST /api/v1/bruteforce/list`. Without filters everything is listed; with some, only what they name. */
export const BruteForceListRequest = Type.Object({
  accounts: filter("accounts whose addresses are wanted"),
  ip_addresses: filter("addresses, or networks as the list names them"),
});
export type BruteForceListRequest = Static<typeof BruteForceListRequest>;

const error = Type.Union([Type.Null(), Type.String()], { description: "what kept the list from being whole" });

/** Bans by network, and the addresses from which accounts were guessed. */
export const BruteForceListResult = Type.Tuple([
  Type.Object({ ip_addresses: Type.Record(Type.String(), Type.String()), error }),
  Type.Object({ accounts: Type.Record(Type.String(), Type.Array(Type.String())), error }),
]);
export type BruteForceListResult = Static<typeof BruteForceListResult>;

/** Answer of `GET` and `POST /api/v1/bruteforce/list`. `next` comes with pages only (query `limit`), while there are more. */
export const BruteForceList = Type.Intersect([
  Envelope("bruteforce", "list", BruteForceListResult),
  Type.Object({ next: Type.Optional(Type.String({ description: "the query parameter cursor of the next page" })) }),
]);
export type BruteForceList = Static<typeof BruteForceList>;
