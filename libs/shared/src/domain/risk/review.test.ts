import fc from "fast-check";
import { expect, test } from "vitest";
import { addReview, decodeReviews, encodeReviews, type ReviewedSignIn } from "./review.ts";

const dayMinutes = 1440;

function signIn(overrides: Partial<ReviewedSignIn>): ReviewedSignIn {
  const place = { country: "NG", system: 29_465 };
  const usual = { session: "s1", minute: 1000, network: "bot", ...place, protocol: "smtp", client: "" };
  const score = { score: 90, level: "suspicious", signals: ["new_country: NG is new"], refusal: "", isRefused: false };
  return { ...usual, ...score, ...overrides };
}

test("the newest is first, and each network is listed once, with its highest score", () => {
  const first = addReview(undefined, signIn({}));
  const second = addReview(first, signIn({ session: "s2", network: "other", minute: 1001 }));
  const worse = addReview(second, signIn({ session: "s3", score: 130, minute: 1002 }));
  expect(worse.map(({ session }) => session)).toEqual(["s3", "s2"]);
  const milder = addReview(worse, signIn({ session: "s4", score: 60, minute: 1003 }));
  expect(milder.map(({ session, score, minute }) => [session, score, minute])).toEqual([
    ["s3", 130, 1003],
    ["s2", 90, 1001],
  ]);
});

test("a list has at most eight sign-ins of the last seven days", () => {
  let reviews: readonly ReviewedSignIn[] = [];
  for (let index = 0; index < 20; index += 1) {
    reviews = addReview(reviews, signIn({ network: `bot${index}`, minute: 1000 + index }));
  }
  expect(reviews.map(({ network }) => network)).toEqual([19, 18, 17, 16, 15, 14, 13, 12].map((index) => `bot${index}`));
  const later = addReview(reviews, signIn({ network: "late", minute: 1019 + 7 * dayMinutes }));
  expect(later.map(({ network }) => network)).toEqual(["late"]);
  expect(encodeReviews(reviews).length).toBeLessThan(4000);
});

test("any text decodes to sign-ins that encode again, or to nothing", () => {
  const reviews = addReview(undefined, signIn({}));
  expect(decodeReviews(encodeReviews(reviews))).toEqual(reviews);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (value) => {
      const found = decodeReviews(value);
      if (found !== undefined) expect(decodeReviews(encodeReviews(found))).toEqual(found);
    }),
  );
});

test.each([0, 1_750_000_000.25, -1])(
  "an app password that the site created at %d leaves a sign-in that can be read",
  (credentialSince) => {
    const reviews = addReview(undefined, signIn({ credentialSince }));
    expect(decodeReviews(encodeReviews(reviews))).toEqual(reviews);
  },
);
