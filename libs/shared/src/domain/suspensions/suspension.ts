import { type Static, Type } from "typebox";
import { Value } from "typebox/value";

/** An account that an operator has suspended. Times in milliseconds since the epoch. */
const Suspension = Type.Object({
  account: Type.String(),
  sinceMs: Type.Number(),
  /** Absent: until it is resumed. */
  untilMs: Type.Optional(Type.Number()),
  /** Text for the user. */
  reason: Type.Optional(Type.String()),
  /** The API caller, or the operator. */
  by: Type.String(),
  /** GUID of the request. */
  session: Type.String(),
  /** The folded name that an operator typed, and not one that a backend returned: it matches accounts in any letter case. */
  isTyped: Type.Optional(Type.Boolean()),
  /** By somebody who is limited to domains. Otherwise, or absent: by the site, which alone may change it. */
  isLimited: Type.Optional(Type.Boolean()),
  /** A number and a region: of the newest change in all regions. Absent without regions. */
  revision: Type.Optional(Type.String()),
});
export type Suspension = Readonly<Static<typeof Suspension>>;

/** Whether only those who are not limited to domains may change it. */
export function isOfSite(suspension: Suspension | undefined): boolean {
  return suspension !== undefined && suspension.isLimited !== true;
}

/** Undefined for an account that was resumed, and for what this version cannot read. */
export function parseSuspension(stored: string): Suspension | undefined {
  try {
    const value: unknown = JSON.parse(stored.slice(stored.indexOf(" ") + 1));
    return Value.Check(Suspension, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An account, and what is stored for it. */
export type SuspensionWrite = readonly [account: string, value: string];

export const writeOf = (suspension: Suspension): SuspensionWrite => [
  suspension.account,
  `${suspension.untilMs ?? 0} ${JSON.stringify(suspension)}`,
];
