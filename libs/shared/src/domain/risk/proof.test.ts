import fc from "fast-check";
import { expect, test } from "vitest";
import { beforeRecords, earliestUnanswered, isOlderThanDoubt } from "./hold-scope.ts";
import { addReview, decodeReviews, encodeReviews, type ReviewedSignIn, recentReviews } from "./review.ts";

const dayMinutes = 1440;
const settings = { knownAfterMinutes: dayMinutes };

function signIn(network: string, minute: number): ReviewedSignIn {
  const place = { country: "NG", system: 29_465 };
  const score = { score: 90, level: "suspicious", signals: [], refusal: "", isRefused: false };
  return { session: "s1", minute, network, ...place, protocol: "smtp", client: "", ...score };
}

const after = (signIns: readonly ReviewedSignIn[]): readonly ReviewedSignIn[] =>
  signIns.reduce<readonly ReviewedSignIn[]>(addReview, []);

test("further sign-ins from the same network do not move the earliest one", () => {
  const reviews = after([signIn("bot", 1000), signIn("bot", 1200), signIn("bot", 1000 + 6 * dayMinutes)]);
  expect(earliestUnanswered(reviews, 1000 + 8 * dayMinutes)).toBe(1000);
});

test("sign-ins from more networks than the list has do not push the earliest one out", () => {
  const flood = Array.from({ length: 30 }, (_, index) => signIn(`bot${index}`, 1010 + index));
  const reviews = after([signIn("first", 1000), ...flood]);
  expect(reviews).toHaveLength(8);
  expect(earliestUnanswered(reviews, 2000)).toBe(1000);
  // Confirming one of them answers no other.
  expect(
    earliestUnanswered(
      reviews.filter(({ network }) => network !== "bot22"),
      2000,
    ),
  ).toBe(1000);
});

test("the earliest one does not expire while others follow, and all expire a week after the last", () => {
  const minutes = [0, 6, 12, 18].map((day) => 1000 + day * dayMinutes);
  const reviews = after(minutes.map((minute, index) => signIn(`bot${index}`, minute)));
  expect(reviews.map(({ network }) => network)).toEqual(["bot3", "bot2"]);
  expect(earliestUnanswered(reviews, 1000 + 24 * dayMinutes)).toBe(1000);
  expect(earliestUnanswered(recentReviews(reviews, 1000 + 20 * dayMinutes), 1000 + 24 * dayMinutes)).toBe(1000);
  expect(earliestUnanswered(reviews, 1000 + 25 * dayMinutes)).toBeUndefined();
  expect(earliestUnanswered(addReview(reviews, signIn("new", 1000 + 25 * dayMinutes)), 1000 + 25 * dayMinutes)).toBe(
    1000 + 25 * dayMinutes,
  );
});

test("a rejected sign-in remains a doubt, and is shown again if it is repeated", () => {
  const rejected = after([signIn("bot", 1000)]).map((one) => ({ ...one, isRejected: true }));
  expect(earliestUnanswered(rejected, 1100)).toBe(1000);
  const again = addReview(rejected, signIn("bot", 1200));
  expect(again[0]?.isRejected).toBeUndefined();
  expect(earliestUnanswered(again, 1200)).toBe(1000);
});

test("values of the previous version count with their newest minute", () => {
  const reviews = decodeReviews(JSON.stringify([signIn("bot", 1000), signIn("other", 900)]));
  expect(earliestUnanswered(reviews, 1100)).toBe(900);
  expect(earliestUnanswered(undefined, 1100)).toBeUndefined();
});

test("whatever order sign-ins come in, the earliest is the first of them, in the encoded form too", () => {
  const ages = fc.array(fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 5 * dayMinutes })), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(ages, (steps) => {
      let minute = 1000;
      let reviews: readonly ReviewedSignIn[] = [];
      for (const [network, pause] of steps) {
        reviews = decodeReviews(encodeReviews(addReview(reviews, signIn(`bot${network}`, minute)))) ?? [];
        expect(earliestUnanswered(reviews, minute)).toBe(1000);
        minute += pause;
      }
    }),
  );
});

test("only what is a day older than the earliest doubt proves anything, or what was there before enrolments were recorded", () => {
  expect(isOlderThanDoubt(5000, undefined, settings)).toBe(true);
  expect(isOlderThanDoubt(undefined, undefined, settings)).toBe(true);
  expect(isOlderThanDoubt(5000 - dayMinutes, 5000, settings)).toBe(true);
  expect(isOlderThanDoubt(5000 - dayMinutes + 1, 5000, settings)).toBe(false);
  expect(isOlderThanDoubt(6000, 5000, settings)).toBe(false);
  expect(isOlderThanDoubt(undefined, 5000, settings)).toBe(false);
  expect(isOlderThanDoubt(beforeRecords, 5, settings)).toBe(true);
});
