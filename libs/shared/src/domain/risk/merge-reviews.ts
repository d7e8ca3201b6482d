import { boundedReviews, type ReviewedSignIn, recentReviews, withAppPassword } from "./review.ts";

/** Newer first; of the same age, in an order that all regions share. */
const byAge = (one: ReviewedSignIn, other: ReviewedSignIn): number =>
  other.minute - one.minute || (one.session < other.session ? -1 : Number(one.session > other.session));

const earlierOf = (...minutes: readonly (number | undefined)[]): number | undefined => {
  const known = minutes.filter((minute) => minute !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

/** Two sign-ins from one network: as for one region, the more dangerous is shown, with the time and the rejection of the newer. */
function mergeReview(one: ReviewedSignIn, other: ReviewedSignIn): ReviewedSignIn {
  const [newer, older] = byAge(one, other) <= 0 ? [one, other] : [other, one];
  const isSame = newer.session === older.session;
  const isRejected = newer.isRejected === true || (isSame && older.isRejected === true);
  const shown = !isSame && older.isRejected !== true && older.score > newer.score ? older : newer;
  const { isRejected: _, earlierMinute: __, ...rest } = shown;
  const earlierMinute = earlierOf(newer.earlierMinute, older.earlierMinute);
  return {
    ...rest,
    ...withAppPassword(newer, older),
    minute: newer.minute,
    firstMinute: Math.min(newer.firstMinute ?? newer.minute, older.firstMinute ?? older.minute),
    ...(earlierMinute !== undefined && { earlierMinute }),
    ...(isRejected && { isRejected }),
  };
}

/**
 * The suspicious sign-ins of two regions, newest first, without those from networks that are known by now: their user has confirmed them.
 */
export function mergeReviews(
  one: readonly ReviewedSignIn[],
  other: readonly ReviewedSignIn[],
  { minute, isKnown }: { readonly minute: number; readonly isKnown: (network: string) => boolean },
): readonly ReviewedSignIn[] {
  const merged = new Map<string, ReviewedSignIn>();
  for (const review of [...recentReviews(one, minute), ...recentReviews(other, minute)]) {
    if (isKnown(review.network)) continue;
    const before = merged.get(review.network);
    merged.set(review.network, before === undefined ? review : mergeReview(before, review));
  }
  return boundedReviews([...merged.values()].toSorted(byAge));
}
