import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import { parsedJson } from "../../platform/json/index.ts";

const text = (maxLength: number) => Type.String({ maxLength });
const minute = Type.Integer({ minimum: 0 });
const Review = Type.Object({
  /** GUID of the request. */
  session: text(64),
  minute,
  /** When the network was first suspicious, of the unanswered sign-ins. Absent from earlier versions. */
  firstMinute: Type.Optional(minute),
  /** The earliest unanswered sign-in of all that the list no longer has. Absent if there is none. */
  earlierMinute: Type.Optional(minute),
  /** The user said that it was someone else: it is not shown again, but remains a doubt. Absent otherwise. */
  isRejected: Type.Optional(Type.Boolean()),
  /** Keyed digest of the network. */
  network: text(16),
  country: text(2),
  system: Type.Integer({ minimum: 0 }),
  protocol: text(16),
  /** Family of the mail client; empty if unknown. */
  client: text(16),
  score: Type.Integer({ minimum: 0 }),
  level: text(16),
  /** Each signal with its reason, as `new_country: NG is new`. */
  signals: Type.Array(text(128), { maxItems: 32 }),
  /** What `enforce` does about it; empty for nothing. */
  refusal: text(16),
  isRefused: Type.Boolean(),
  /** `auth.risk.mode` at the time. Absent from earlier versions. */
  mode: Type.Optional(text(16)),
  /** All responses of the level, which only `enforce` gives. Absent from earlier versions. */
  responses: Type.Optional(Type.Array(text(16), { maxItems: 16 })),
  /**
   * Creation of the app password with which it was made, in seconds since the epoch; the site may have stored a fraction. Absent for
   * passwords, and from earlier versions.
   */
  credentialSince: Type.Optional(Type.Number()),
});
const Reviews = Type.Array(Review);

/** A suspicious sign-in, until its user says whether it was theirs. Contains no name and no address. */
export type ReviewedSignIn = Readonly<Static<typeof Review>>;

const maxReviews = 8;
/** A review lives as long as the doubt about a network. */
const reviewMinutes = 7 * 1440;

/** Undefined for a value that this version did not write. */
export function decodeReviews(value: string): readonly ReviewedSignIn[] | undefined {
  const found = parsedJson(value);
  return Value.Check(Reviews, found) ? found : undefined;
}

export const encodeReviews = (reviews: readonly ReviewedSignIn[]): string => JSON.stringify(reviews);

export const isRecentReview = ({ minute }: Pick<ReviewedSignIn, "minute">, nowMinute: number): boolean =>
  nowMinute - minute < reviewMinutes;

/** When the earliest of them began, and of those that they remember; undefined if there are none. */
export function earliestOf(reviews: readonly ReviewedSignIn[]): number | undefined {
  const minutes = reviews.flatMap(({ minute, firstMinute = minute, earlierMinute = minute }) => [
    minute,
    firstMinute,
    earlierMinute,
  ]);
  return minutes.length === 0 ? undefined : Math.min(...minutes);
}

/** The listed sign-ins remember when the earliest of those began that are dropped unanswered, so that no flood of others hides it. */
function withEarlier(kept: readonly ReviewedSignIn[], dropped: readonly ReviewedSignIn[]): readonly ReviewedSignIn[] {
  const earliest = earliestOf(dropped);
  if (earliest === undefined) return kept;
  return kept.map((one) => ({ ...one, earlierMinute: Math.min(earliest, one.earlierMinute ?? earliest) }));
}

/** @param reviews newest first */
export function boundedReviews(reviews: readonly ReviewedSignIn[]): readonly ReviewedSignIn[] {
  return withEarlier(reviews.slice(0, maxReviews), reviews.slice(maxReviews));
}

/** Sign-ins of the last week. Older ones are forgotten with the last of them. */
export function recentReviews(reviews: readonly ReviewedSignIn[], nowMinute: number): readonly ReviewedSignIn[] {
  const recent = reviews.filter((one) => isRecentReview(one, nowMinute));
  return withEarlier(
    recent,
    reviews.filter((one) => !recent.includes(one)),
  );
}

/** The app password stays named even if the more dangerous sign-in was made with the password. */
export function withAppPassword(
  { credentialSince }: ReviewedSignIn,
  before: ReviewedSignIn | undefined,
): Pick<ReviewedSignIn, "credentialSince"> {
  const since = credentialSince ?? before?.credentialSince;
  return since === undefined ? {} : { credentialSince: since };
}

/** Newest first; one for each network, of which the most dangerous counts. */
export function addReview(
  reviews: readonly ReviewedSignIn[] | undefined,
  one: ReviewedSignIn,
): readonly ReviewedSignIn[] {
  const recent = recentReviews(reviews ?? [], one.minute);
  const before = recent.find(({ network }) => network === one.network);
  const { earlierMinute } = recent[0] ?? {};
  const worse = before !== undefined && before.isRejected !== true && before.score > one.score ? before : one;
  const added = {
    ...worse,
    ...withAppPassword(one, before),
    minute: one.minute,
    firstMinute: Math.min(one.minute, before?.firstMinute ?? before?.minute ?? one.minute),
    ...(earlierMinute !== undefined && { earlierMinute }),
  };
  const all = [added, ...recent.filter((other) => other !== before)];
  return boundedReviews(all);
}
