import { type Static, Type } from "typebox";

/** A user notification that one channel delivered or failed to deliver. Contains neither its text nor an address. */
export const SentNotification = Type.Object({
  id: Type.String(),
  event: Type.String(),
  channel: Type.String(),
  outcome: Type.Union([Type.Literal("delivered"), Type.Literal("failed")]),
  timeMs: Type.Number(),
});
export type SentNotification = Static<typeof SentNotification>;
