import { Type } from "typebox";
import { Value } from "typebox/value";

/** A suspicious sign-in, until its user says whether it was theirs. Contains no name and no address. */
export interface ReviewedSignIn {
  /** GUID of the request. */
  readonly session: string;
  readonly minute: number;
  /** Keyed digest of the network. */
  readonly network: string;
  readonly country: string;
  readonly system: number;
  readonly protocol: string;
  /** Family of the mail client; empty if unknown. */
  readonly client: string;
  readonly score: number;
  readonly level: string;
  /** Each signal with its reason, as `new_country: NG is new`. */
  readonly signals: readonly string[];
  /** What `enforce` does about it; empty for nothing. */
  readonly refusal: string;
  readonly isRefused: boolean;
  /** `auth.risk.mode` at the time. Absent from earlier versions. */
  readonly mode?: string;
  /** All responses of the level, which only `enforce` gives. Absent from earlier versions. */
  readonly responses?: readonly string[];
}

const text = (maxLength: number) => Type.String({ maxLength });
const Reviews = Type.Array(
  Type.Object({
    session: text(64),
    minute: Type.Integer({ minimum: 0 }),
    network: text(16),
    country: text(2),
    system: Type.Integer({ minimum: 0 }),
    protocol: text(16),
    client: text(16),
    score: Type.Integer({ minimum: 0 }),
    level: text(16),
    signals: Type.Array(text(128), { maxItems: 32 }),
    refusal: text(16),
    isRefused: Type.Boolean(),
    mode: Type.Optional(text(16)),
    responses: Type.Optional(Type.Array(text(16), { maxItems: 16 })),
  }),
);

const maxReviews = 8;
/** As long as the doubt about a network. */
export const reviewMinutes = 7 * 1440;

/** Undefined for a value that this version did not write. */
export function decodeReviews(value: string): readonly ReviewedSignIn[] | undefined {
  let found: unknown;
  try {
    found = JSON.parse(value);
  } catch {
    return undefined;
  }
  return Value.Check(Reviews, found) ? found : undefined;
}

export const encodeReviews = (reviews: readonly ReviewedSignIn[]): string => JSON.stringify(reviews);

/** Newest first; one for each network, of which the most dangerous counts. */
export function addReview(
  reviews: readonly ReviewedSignIn[] | undefined,
  one: ReviewedSignIn,
): readonly ReviewedSignIn[] {
  const recent = (reviews ?? []).filter(({ minute }) => one.minute - minute < reviewMinutes);
  const before = recent.find(({ network }) => network === one.network);
  const worse = before !== undefined && before.score > one.score ? { ...before, minute: one.minute } : one;
  return [worse, ...recent.filter((other) => other !== before)].slice(0, maxReviews);
}
