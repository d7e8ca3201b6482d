import type { Channel } from "./journey.ts";

/** What came of telling a service provider of a logout; all but `retried` are the last word. */
export const tellingResults = ["done", "refused", "retried", "given_up", "no_answer", "not_told"] as const;
export type TellingResult = (typeof tellingResults)[number];

export interface Telling {
  readonly channel: Channel;
  readonly result: TellingResult;
  readonly entityId: string;
  /** Status that the service provider gave. */
  readonly status?: string | undefined;
}
