/** When and how a second factor was set up. */
export interface Enrolment {
  /** Minutes since the epoch. */
  readonly minute: number;
  /** Set up while a suspicious sign-in was unanswered, and not from a session that proves the user: it never proves anything. */
  readonly isDoubted: boolean;
  /** Its user proved to be the owner with a factor that was vouched for, or an operator vouches. */
  readonly isVouched: boolean;
}

/** Bound of the records of an account. */
export const maxEnrolments = 64;
const prunedAfterMinutes = 30 * 1440;

export const writeEnrolment = ({ minute, isDoubted, isVouched }: Enrolment): string =>
  `${minute.toString(36)},${isDoubted ? "d" : ""}${isVouched ? "v" : ""}`;

/** A value that this version did not write proves nothing. */
export function readEnrolment(value: string): Enrolment {
  const [, minute = "", marks = "d"] = /^([0-9a-z]{1,10}),([a-z]*)$/.exec(value) ?? [];
  return { minute: Number.parseInt(minute || "0", 36), isDoubted: marks.includes("d"), isVouched: marks.includes("v") };
}

/** Without its record, a factor counts as old and vouched for. So does one whose record is to say exactly that. */
export function isPrunable({ minute, isDoubted, isVouched }: Enrolment, nowMinute: number): boolean {
  return !isDoubted && isVouched && nowMinute - minute > prunedAfterMinutes;
}
