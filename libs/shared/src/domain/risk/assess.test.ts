import fc from "fast-check";
import { expect, test } from "vitest";
import { type AccountFacts, decodeAccountFacts, encodeAccountFacts } from "./account-facts.ts";
import { assess } from "./assess.ts";
import { type AssessedSignIn, confirmSignIn, noteSignIn, noteWrongPassword } from "./note.ts";
import { riskSignals } from "./signals.ts";
import { addToSketch, countOfSketch } from "./sketch.ts";
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
import { holdOf, isDoubted, verdictOf } from "./verdict.ts";

const refusal = (facts: AccountFacts, one: AssessedSignIn) =>
  verdictOf(facts, one, assess(facts, undefined, one, settings), settings).refusal;

test("an ordinary sign-in at home raises nothing", () => {
  expect(assess(settled, undefined, signIn({ minute: now }), settings)).toEqual({
    score: 0,
    level: "ordinary",
    ownLevel: "ordinary",
    signals: [],
    isKnown: true,
    isStrange: false,
  });
});

test("a stolen password used from another continent is dangerous, and each signal says why", () => {
  const found = assess(settled, undefined, signIn({ minute: now, network: "bot", place: lagos }), settings);
  expect(found).toMatchObject({ level: "dangerous", isKnown: false, score: 85 });
  expect(found.signals.map(({ signal, reason }) => `${signal}: ${reason}`)).toEqual([
    "new_source: the network and its system AS29465 are new",
    "new_country: NG is new",
    "impossible_travel: 5105 km in 60 min",
  ]);
});

test("a journey of a day is only a new country", () => {
  expect(raised(settled, { minute: now + dayMinutes, network: "hotel", place: lagos })).toEqual([
    "new_source",
    "new_country",
  ]);
});

test("another network of a known system raises nothing", () => {
  expect(raised(settled, { network: "phone" })).toEqual([]);
});

test("nothing is new to an account that engines are still learning", () => {
  const young = after(signIn({ minute: now - dayMinutes }));
  expect(raised(young, { network: "hotel", place: { ...berlin, country: "FR", system: 1 } })).toEqual([]);
  expect(raised(undefined, { network: "hotel" })).toEqual([]);
  const impatient = { ...settings, learningMinutes: 0 };
  expect(assess(undefined, undefined, signIn({ place: lagos }), impatient).signals).toEqual([]);
});

test("many countries and systems in an hour, including doubted sign-ins", () => {
  let facts = settled;
  for (const [index, country] of ["BR", "VN", "RU", "IN"].entries()) {
    const one = signIn({
      minute: now + index,
      network: `bot${index}`,
      place: { ...lagos, country, system: 100 + index },
    });
    facts = noteSignIn(facts, one, { isDoubted: true, ages: settings });
  }
  expect(raised(facts, { minute: now + 5, network: "bot9", place: lagos })).toEqual([
    "new_source",
    "new_country",
    "impossible_travel",
    "many_countries",
    "many_systems",
  ]);
  expect(raised(facts, { minute: now + 90, network: "bot9", place: lagos })).not.toContain("many_countries");
  expect(facts.countries.map(({ name }) => name)).toEqual(["de"]);
});

test("an account that many networks guess, for two hours", () => {
  let facts = settled;
  for (let index = 0; index < 40; index += 1) {
    facts = noteWrongPassword(facts, { network: `guess${index * 7919}`, minute: now });
  }
  expect(raised(facts, { network: "new" })).toContain("guessed_account");
  expect(raised(facts, { network: "new", minute: now + 180 })).not.toContain("guessed_account");
  expect(raised(facts, {})).toEqual([]);
});

test("a network that guesses many accounts, unless twice as many sign in from it", () => {
  const ids = Array.from({ length: 60 }, (_, index) => `${(index * 7919).toString(36)}account`);
  const met = (facts: SourceFacts | undefined, meeting: Meeting) =>
    ids.reduce<SourceFacts | undefined>(
      (sum, account) => noteAccountOfSource(sum, { account, meeting, minute: now }),
      facts,
    );
  const spraying = met(undefined, "wrong");
  expect(raised(settled, { network: "new" }, spraying)).toContain("spraying_source");
  expect(raised(settled, { network: "new" }, met(spraying, "right"))).not.toContain("spraying_source");
  expect(spraying && decodeSourceFacts(encodeSourceFacts(spraying))).toEqual(spraying);
});

test("a leaked password raises a signal everywhere, a legacy protocol only from unknown networks", () => {
  expect(raised(settled, { isLeaked: true, hasSecondFactor: true })).toEqual(["leaked_password"]);
  expect(raised(settled, { network: "new", hasSecondFactor: true })).toEqual(["legacy_protocol"]);
  expect(raised(settled, { network: "new", hasSecondFactor: true, credential: "app_password" })).toEqual([]);
  expect(raised(settled, { network: "new", hasSecondFactor: true, protocol: "http" })).toEqual([]);
});

test("a weight of 0 disables a signal", () => {
  const without = { ...settings, weights: { ...weights, new_country: 0 } };
  const found = assess(settled, undefined, signIn({ minute: now, network: "bot", place: lagos }), without);
  expect(found.signals.map(({ signal }) => signal)).not.toContain("new_country");
});

test("submission is locked and reading is not; a hold refuses until it ends or the user confirms", () => {
  const bot = signIn({ minute: now, network: "bot", place: lagos, protocol: "smtp" });
  const found = assess(settled, undefined, bot, settings);
  const verdict = verdictOf(settled, bot, found, settings);
  expect(verdict.refusal).toBe("hold_submission");
  expect(verdictOf(settled, { ...bot, protocol: "imap" }, found, settings).refusal).toBeUndefined();
  const hold = holdOf(verdict, found, { minute: now, settings });
  const held = noteSignIn(settled, bot, { isDoubted: true, hold, ages: settings });
  const elsewhere = { ...berlin, system: 64_500 };
  const phone = signIn({ minute: now + 5, network: "hotel", place: elsewhere, protocol: "smtp" });
  expect(refusal(held, phone)).toBe("hold_submission");
  expect(refusal(held, { ...phone, network: "home" })).toBeUndefined();
  expect(refusal(held, { ...phone, minute: now + dayMinutes + 1 })).toBeUndefined();
  const confirmed = confirmSignIn(held, { ...phone, device: "browser" }, settings);
  expect(confirmed.hold).toBeUndefined();
  expect(refusal(confirmed, phone)).toBeUndefined();
  expect(assess(confirmed, undefined, { ...bot, device: "browser" }, strict).isKnown).toBe(true);
});

test("reading mail in a new network during a hold does not end the hold there, nor in the rest of its system", () => {
  const hold = { kind: "submission", untilMinute: now + dayMinutes } as const;
  const held = noteSignIn(settled, signIn({ minute: now, network: "bot", place: lagos }), {
    isDoubted: true,
    hold,
    ages: settings,
  });
  const reads = signIn({ minute: now + 5, network: "hotel", place: { ...berlin, system: 64_500 } });
  const after = noteSignIn(held, reads, { isDoubted: false, ages: settings });
  expect(refusal(after, { ...reads, minute: now + 10, protocol: "smtp" })).toBe("hold_submission");
  expect(refusal(after, { ...reads, minute: now + 10, network: "next", protocol: "smtp" })).toBe("hold_submission");
  expect(refusal(after, signIn({ minute: now + 10, network: "phone", protocol: "smtp" }))).toBeUndefined();
});

test("a doubted network never becomes a known one, and the doubt ends after a week", () => {
  const bot = signIn({ minute: now, network: "bot", place: lagos });
  let facts = noteSignIn(settled, bot, { isDoubted: true, ages: settings });
  for (let day = 1; day < 7; day += 1) {
    const again = { ...bot, minute: now + day * dayMinutes };
    expect(assess(facts, undefined, again, settings).isKnown).toBe(false);
    facts = noteSignIn(facts, again, { isDoubted: false, ages: settings });
  }
  const later = noteSignIn(facts, signIn({ minute: now + 8 * dayMinutes }), { isDoubted: false, ages: settings });
  expect(later.networks.map(({ id }) => id)).toEqual(["home"]);
});

const places = fc.constantFrom(berlin, lagos, { country: "", system: 0, location: undefined });
const signIns = fc.record({
  minute: fc.integer({ min: now, max: now + 20 * dayMinutes }),
  network: fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h") }),
  place: places,
  protocol: fc.string(),
  client: fc.string(),
  device: fc.constantFrom("", "browser"),
  credential: fc.constantFrom("password" as const, "app_password" as const),
  isLeaked: fc.boolean(),
  hasSecondFactor: fc.boolean(),
});

test("whatever others do, a sign-in from a known network is never refused, and values stay below 1 KB", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(signIns, fc.boolean(), fc.boolean()), { maxLength: 60 }), (events) => {
      let facts = settled;
      let source: SourceFacts | undefined;
      for (const [one, isRight, isDoubted] of events.toSorted(([a], [b]) => a.minute - b.minute)) {
        const hold = { kind: "mail" as const, untilMinute: one.minute + dayMinutes };
        facts = isRight
          ? noteSignIn(facts, one, { isDoubted: isDoubted || one.network !== "home", hold, ages: strict })
          : noteWrongPassword(facts, one);
        source = noteAccountOfSource(source, {
          account: one.network,
          meeting: isRight ? "strange" : "wrong",
          minute: one.minute,
        });
        const value = encodeAccountFacts(facts);
        expect(value.length).toBeLessThan(900);
        expect(decodeAccountFacts(value)).toEqual(facts);
        for (const protocol of ["imap", "smtp", "http"]) {
          const owner = signIn({ minute: one.minute, protocol, isLeaked: true, hasSecondFactor: true });
          const found = assess(facts, source, owner, strict);
          expect(found.isKnown).toBe(true);
          expect(verdictOf(facts, owner, found, strict).refusal).toBeUndefined();
        }
      }
    }),
  );
});

test("wrong passwords alone refuse no sign-in, not even one from a new network", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 4, maxLength: 8 }), { minLength: 30, maxLength: 90 }), (networks) => {
      const guessed = networks.reduce((facts, network) => noteWrongPassword(facts, { network, minute: now }), settled);
      const owner = signIn({ minute: now, network: "phone" });
      const found = assess(guessed, undefined, owner, { ...strict, scores: { suspicious: 1, dangerous: 1 } });
      expect(verdictOf(guessed, owner, found, strict).refusal).toBeUndefined();
    }),
  );
});

const effect = (facts: AccountFacts, met: SourceFacts | undefined, one: AssessedSignIn) => {
  const found = assess(facts, met, one, strict);
  const verdict = verdictOf(facts, one, found, strict);
  const hold = holdOf(verdict, found, { minute: now, settings: strict });
  return { refusal: verdict.refusal, hold, isDoubted: isDoubted(found) };
};

test("what others cause refuses no sign-in that its own signals do not, begins no hold and keeps no network unknown", () => {
  const guesses = Array.from({ length: 40 }, (_, index) => `guess${index * 7919}`);
  const sprayed = Array.from({ length: 60 }, (_, index) => `${(index * 7919).toString(36)}account`);
  const source = sprayed.reduce<SourceFacts | undefined>(
    (sum, account) => noteAccountOfSource(sum, { account, meeting: "wrong", minute: now }),
    undefined,
  );
  const guessed = guesses.reduce((facts, network) => noteWrongPassword(facts, { network, minute: now }), settled);
  // 30 of its own, and 50 of others.
  const owner = signIn({ minute: now, network: "hotel", place: { ...berlin, country: "PL" } });
  expect(assess(guessed, source, owner, strict)).toMatchObject({ score: 80, level: "suspicious" });
  expect(effect(guessed, source, owner)).toEqual({ refusal: undefined, hold: undefined, isDoubted: false });
  fc.assert(
    fc.property(signIns, fc.boolean(), (sample, isOnPages) => {
      const one = { ...sample, minute: now, isOnPages };
      expect(effect(guessed, source, one)).toEqual(effect(settled, undefined, one));
    }),
  );
});

test("the score is the sum of the weights of its signals, each of which is raised once", () => {
  fc.assert(
    fc.property(signIns, (one) => {
      const { score, signals } = assess(settled, undefined, one, settings);
      expect(score).toBe(signals.reduce((sum, { weight }) => sum + weight, 0));
      const names = signals.map(({ signal }) => signal);
      expect(names).toEqual(riskSignals.filter((name) => names.includes(name)));
    }),
  );
});

test("a sign-in that adds nothing returns the same facts, so that nothing is written", () => {
  const again = signIn({ minute: start + 30 * dayMinutes + 5 });
  expect(noteSignIn(settled, again, { isDoubted: false, ages: settings })).toBe(settled);
});

test("any text decodes to facts that encode again, or to nothing", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((rest) => `1!${rest}!!!!!!!!!a,b,c,d,e,f`),
      ),
      (value) => {
        const facts = decodeAccountFacts(value);
        if (facts !== undefined) expect(decodeAccountFacts(encodeAccountFacts(facts))).toBeDefined();
        decodeSourceFacts(value);
      },
    ),
  );
});

test("a sketch counts a few exactly enough, and repetitions not at all", () => {
  const ids = Array.from({ length: 40 }, (_, index) => (index * 99_991).toString(36).padStart(6, "x"));
  const sketch = ids.reduce(addToSketch, "");
  expect(ids.reduce(addToSketch, sketch)).toBe(sketch);
  expect(countOfSketch(sketch)).toBeGreaterThan(25);
  expect(countOfSketch(sketch)).toBeLessThan(55);
  expect(sketch).toHaveLength(32);
});
