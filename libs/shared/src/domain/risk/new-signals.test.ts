import { expect, test } from "vitest";
import { assess } from "./assess.ts";
import { type AssessedSignIn, confirmSignIn, noteSignIn } from "./note.ts";
import {
  decodeSourceFacts,
  encodeSourceFacts,
  type Meeting,
  noteAccountOfSource,
  type SourceFacts,
} from "./source-facts.ts";
import {
  after,
  berlin,
  dayMinutes,
  lagos,
  now,
  raised,
  settings,
  settled,
  signIn,
  start,
  strict,
  weights,
} from "./testing/settled-account.ts";
import { verdictOf } from "./verdict.ts";

const met = (facts: SourceFacts | undefined, accounts: readonly string[], meeting: Meeting) =>
  accounts.reduce<SourceFacts | undefined>(
    (sum, account) => noteAccountOfSource(sum, { account, meeting, minute: now }),
    facts,
  );

test("a network that signs in to many accounts that did not know it, unless most of its accounts know it", () => {
  const ids = Array.from({ length: 60 }, (_, index) => `${(index * 7919).toString(36)}account`);
  const strange = met(met(undefined, ids.slice(0, 20), "strange"), ids.slice(0, 20), "right");
  expect(raised(settled, { network: "new" }, strange)).toContain("strange_accounts");
  expect(raised(settled, {}, strange)).toEqual([]);
  expect(raised(settled, { network: "new", minute: now + 180 }, strange)).not.toContain("strange_accounts");
  expect(raised(settled, { network: "new" }, met(strange, ids, "right"))).not.toContain("strange_accounts");
  expect(strange && decodeSourceFacts(encodeSourceFacts(strange))).toEqual(strange);
  // The value of an earlier version has fewer fields.
  expect(decodeSourceFacts("1!a!!!!")).toMatchObject({ strange: "", strangeBefore: "" });
  const one = signIn({ minute: now, network: "new" });
  const found = assess(settled, strange, one, strict);
  const every = { ...found, level: "dangerous" as const };
  expect(verdictOf(settled, one, every, strict).refusal).toBeUndefined();
});

test("a program that is new to the account, which knows other programs, in an unknown network", () => {
  const named = after(
    ...Array.from({ length: 31 }, (_, day) => signIn({ minute: start + day * dayMinutes, client: "mozilla" })),
  );
  expect(raised(named, { network: "new", client: "go-imap" })).toEqual(["new_client"]);
  for (const usual of [{ client: "mozilla" }, { client: "" }])
    expect(raised(named, { network: "new", ...usual })).toEqual([]);
  expect(raised(named, { client: "go-imap" })).toEqual([]);
  expect(raised(settled, { network: "new", client: "go-imap" })).toEqual([]);
});

test("a listed network has the weight of its line, and a weight of 0 disables the signal", () => {
  const one = signIn({ minute: now, network: "new", listedWeight: 70 });
  expect(assess(settled, undefined, one, settings)).toMatchObject({ score: 70, level: "suspicious" });
  const without = { ...settings, weights: { ...weights, listed_network: 0 } };
  expect(assess(settled, undefined, one, without).score).toBe(0);
  expect(raised(settled, { listedWeight: 70 })).toEqual([]);
});

test("second_factor refuses the sign-in pages without a factor in unknown networks, and nothing else", () => {
  const factorSettings = {
    ...settings,
    responses: { suspicious: new Set(["second_factor" as const]), dangerous: new Set(["second_factor" as const]) },
  };
  const refusal = (overrides: Partial<AssessedSignIn>) => {
    const one = signIn({ minute: now, network: "bot", place: lagos, protocol: "oidc", isOnPages: true, ...overrides });
    return verdictOf(settled, one, assess(settled, undefined, one, factorSettings), factorSettings).refusal;
  };
  expect(refusal({})).toBe("second_factor");
  expect(refusal({ isFactorNext: true })).toBeUndefined();
  expect(refusal({ isOnPages: undefined, protocol: "imap" })).toBeUndefined();
  expect(refusal({ network: "home", place: berlin })).toBeUndefined();
});

test("a browser in which the user confirmed a sign-in is known in every network, while it is used", () => {
  const bot = signIn({ minute: now, network: "bot", place: lagos, device: "browser" });
  const confirmed = confirmSignIn(settled, bot, settings);
  const month = 30 * dayMinutes;
  const elsewhere = signIn({ minute: now + 2 * month, network: "hotel", device: "browser" });
  expect(assess(confirmed, undefined, elsewhere, settings).isKnown).toBe(true);
  const later = { ...elsewhere, minute: now + 4 * month, network: "station" };
  expect(assess(confirmed, undefined, later, settings).isKnown).toBe(false);
  const used = noteSignIn(confirmed, elsewhere, { isDoubted: false, ages: settings });
  expect(assess(used, undefined, later, settings).isKnown).toBe(true);
  // A sign-in alone makes no browser known.
  expect(noteSignIn(settled, bot, { isDoubted: false, ages: settings }).devices).toEqual([]);
});
