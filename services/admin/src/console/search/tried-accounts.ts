import type { RecordedDecision } from "@postern/shared/domain/history";

/** The account of a sign-in; the name as typed, if no backend has it. */
export const accountOf = ({ account, username }: RecordedDecision): string => account ?? username;

/** Fewer accounts are rather an office with a program that has an old password. */
const leastTried = 5;

/** Number of names that were tried from a place in vain, if no sign-in succeeded, as far as the history has them. Undefined if they are few. */
export function triedIn(records: readonly RecordedDecision[]): number | undefined {
  const failed = records.filter(({ outcome }) => outcome === "denied" || outcome === "blocked");
  const { size } = new Set(failed.map((record) => accountOf(record).toLowerCase()));
  return size >= leastTried && records.every(({ outcome }) => outcome !== "ok") ? size : undefined;
}
