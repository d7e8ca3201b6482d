import { describe, expect, test } from "vitest";
import { coversCredential, type ObtainedCredential } from "./hold-scope.ts";
import type { ReviewedSignIn } from "./review.ts";
import { now, settings } from "./testing/settled-account.ts";

const day = 1440;
const hold = { kind: "submission", untilMinute: now + settings.holdMinutes } as const;

const review = (overrides: Partial<ReviewedSignIn>): ReviewedSignIn => ({
  session: "s",
  minute: now,
  network: "bot",
  country: "NG",
  system: 1,
  protocol: "smtp",
  client: "",
  score: 90,
  level: "dangerous",
  signals: [],
  refusal: "hold_submission",
  isRefused: true,
  ...overrides,
});

function covers(
  kind: ObtainedCredential["kind"],
  sinceMinute: number | undefined,
  reviews: readonly ReviewedSignIn[] | undefined = [review({})],
): boolean {
  const since = sinceMinute === undefined ? undefined : sinceMinute * 60;
  return coversCredential({ kind, since }, { hold, reviews, minute: now + 60 }, settings);
}

describe.each(["app_password", "token"] as const)("a hold and an %s", (kind) => {
  test("it covers what was obtained after the first suspicious sign-in, or less than known_after before it", () => {
    expect(covers(kind, now + 30)).toBe(true);
    expect(covers(kind, now - day + 1)).toBe(true);
    expect(covers(kind, now - day)).toBe(false);
  });

  test("the earliest unanswered sign-in counts, not the one that began the hold, whether or not it was rejected", () => {
    const reviews = [review({}), review({ network: "other", minute: now - 3 * day, isRejected: true })];
    expect(covers(kind, now - 2 * day, reviews)).toBe(true);
    expect(covers(kind, now - 4 * day, reviews)).toBe(false);
  });

  test("without suspicious sign-ins, because they are lost or of another version, it covers what is not older than the hold", () => {
    for (const reviews of [undefined, []]) {
      expect(covers(kind, now - day + 1, reviews)).toBe(true);
      expect(covers(kind, now - day, reviews)).toBe(false);
    }
  });

  test("an unknown age may be as young as the doubt", () => {
    expect(covers(kind, undefined)).toBe(true);
  });
});

test("an app password that was itself used suspiciously is covered, however old, and others are not", () => {
  const reviews = [review({ credentialSince: (now - 100 * day) * 60 })];
  expect(covers("app_password", now - 100 * day, reviews)).toBe(true);
  expect(covers("app_password", now - 101 * day, reviews)).toBe(false);
  expect(covers("token", now - 100 * day, reviews)).toBe(false);
});
