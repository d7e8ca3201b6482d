import { expect, test } from "vitest";
import { loadConfig } from "../../platform/config/index.ts";
import { type AccountFacts, decodeAccountFacts, encodeAccountFacts } from "./account-facts.ts";
import { assess } from "./assess.ts";
import { type AssessedSignIn, confirmSignIn, newAccountFacts, noteSignIn } from "./note.ts";
import { type RiskSettings, riskSettings } from "./risk-settings.ts";
import { verdictOf } from "./verdict.ts";

const dayMinutes = 1440;
const start = 30_000_000;
const now = start + 30 * dayMinutes + 60;
const berlin = { country: "DE", system: 3320, location: { latitude: 53, longitude: 13 } };

function defaults(): RiskSettings {
  const loaded = loadConfig({ text: "", env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error("the default configuration is invalid");
  return { ...riskSettings(loaded.config.auth.risk), mode: "enforce" };
}

const settings = defaults();
const { submissionsPerHour, submissionNetworks } = settings;

function signIn(overrides: Partial<AssessedSignIn>): AssessedSignIn {
  const usual = { minute: now, network: "home", place: berlin, protocol: "smtp", client: "", device: "" };
  return { ...usual, credential: "password", ...overrides };
}

function settled(): AccountFacts {
  let facts = newAccountFacts(start);
  for (let day = 0; day <= 30; day += 1) {
    const one = signIn({ minute: start + day * dayMinutes, protocol: "imap" });
    facts = noteSignIn(facts, one, { isDoubted: false, ages: settings });
  }
  return facts;
}

/** Sends as engines do: each sign-in is scored, and then remembered. */
function sendAll(facts: AccountFacts, all: readonly AssessedSignIn[]) {
  let known = facts;
  const found = all.map((one) => {
    const assessed = assess(known, undefined, one, settings);
    const { refusal } = verdictOf(known, one, assessed, settings);
    const isDoubted = assessed.level !== "ordinary" && !assessed.isKnown;
    known = noteSignIn(known, one, { isDoubted, ages: settings });
    return { ...assessed, refusal, names: assessed.signals.map(({ signal }) => signal) };
  });
  return { known, found };
}

const many = (count: number, overridesOf: (index: number) => Partial<AssessedSignIn>) =>
  Array.from({ length: count }, (_, index) => signIn(overridesOf(index)));

test("many submissions in an hour from a network of the user's own provider are suspicious", () => {
  const { found } = sendAll(
    settled(),
    many(submissionsPerHour, (index) => ({ network: "neighbour", minute: now + index })),
  );
  expect(found.map(({ level }) => level)).toEqual([
    ...Array.from({ length: submissionsPerHour - 1 }, () => "ordinary"),
    "suspicious",
  ]);
  expect(found.at(-1)?.names).toEqual(["many_submissions"]);
});

test("an attacker who sends one more mail each hour becomes suspicious as early as one who sends them together", () => {
  const growing = [1, 2, 3, 4, 5].flatMap((count, hour) =>
    many(count, (index) => ({ network: "neighbour", minute: now + hour * 120 + index })),
  );
  const { found } = sendAll(settled(), growing);
  expect(found.slice(0, -1).every(({ level }) => level === "ordinary")).toBe(true);
  expect(found.at(-1)).toMatchObject({ level: "suspicious", names: ["many_submissions"] });
});

test("submissions from many networks of the user's own provider are refused, once they are many", () => {
  const { found } = sendAll(
    settled(),
    many(9, (index) => ({ network: `bot${index * 7919}`, minute: now + index })),
  );
  expect(found.findIndex(({ names }) => names.includes("scattered_submissions"))).toBe(submissionNetworks - 1);
  expect(found.at(-1)).toMatchObject({ level: "dangerous", refusal: "hold_submission" });
});

test("known networks send as much as they like, and reading is not submission", () => {
  const { known, found } = sendAll(
    settled(),
    many(50, (index) => ({ minute: now + Math.floor(index / 2) })),
  );
  expect(found.flatMap(({ names }) => names)).toEqual([]);
  expect(known.sending).toBeUndefined();
  const reading = sendAll(
    settled(),
    many(50, (index) => ({ network: `phone${index}`, protocol: "imap" })),
  );
  expect(reading.found.flatMap(({ names }) => names)).toEqual([]);
});

const phone = (count: number, minute: number) => many(count, () => ({ network: "phone", minute }));

test("an account that often sends much mail is not suspicious, and a suspicious hour does not raise its usual amount", () => {
  const learning = sendAll(newAccountFacts(now - 60), phone(20, now)).known;
  const month = now + 30 * dayMinutes;
  const train = many(25, () => ({ network: "train", minute: month }));
  const { found } = sendAll(learning, train);
  expect(found.flatMap(({ names }, index) => (names.includes("many_submissions") ? [index] : []))).toEqual([24]);
  const later = now + 5 * 60;
  const attacked = sendAll(settled(), phone(30, now));
  expect(attacked.found.at(-1)?.names).toEqual(["many_submissions"]);
  const again = sendAll(attacked.known, phone(submissionsPerHour, later));
  expect(again.found.at(-1)?.names).toEqual(["many_submissions"]);
});

test("a burst that the user confirms becomes a habit", () => {
  const { known } = sendAll(settled(), phone(20, now));
  const confirmed = confirmSignIn(known, signIn({ network: "phone", minute: now + 60 }), settings);
  const train = many(24, () => ({ network: "train", minute: now + 5 * 60 }));
  expect(sendAll(confirmed, train).found.flatMap(({ names }) => names)).toEqual([]);
});

test("a sign-in that was scored before its network was confirmed does not undo the confirmation", () => {
  const bot = signIn({ network: "bot" });
  const hold = { kind: "submission" as const, untilMinute: now + 60 };
  const doubted = noteSignIn(settled(), bot, { isDoubted: true, hold, ages: settings });
  const confirmed = confirmSignIn(doubted, bot, settings);
  expect(noteSignIn(confirmed, bot, { isDoubted: true, hold, ages: settings })).toBe(confirmed);
});

test("no count of submissions is unusual for an account that engines are still learning", () => {
  const young = newAccountFacts(now - 60);
  expect(sendAll(young, phone(30, now)).found.flatMap(({ names }) => names)).toEqual([]);
});

test("submissions are part of the value, which an earlier version reads without them", () => {
  const { known } = sendAll(settled(), phone(30, now));
  const value = encodeAccountFacts(known);
  expect(decodeAccountFacts(value)).toEqual(known);
  const [, ...rest] = value.split("!").toReversed();
  expect(decodeAccountFacts(rest.toReversed().join("!"))).toEqual({ ...known, sending: undefined });
});

test("a hold refuses only sources that are new to the account", () => {
  const hold = { kind: "submission" as const, untilMinute: now + 60 };
  const held = { ...settled(), hold };
  const refusal = (one: AssessedSignIn) =>
    verdictOf(held, one, assess(held, undefined, one, settings), settings).refusal;
  expect(refusal(signIn({ network: "phone" }))).toBeUndefined();
  const elsewhere = { ...berlin, system: 64_500 };
  expect(refusal(signIn({ network: "hotel", place: elsewhere }))).toBe("hold_submission");
  expect(refusal(signIn({ network: "hotel", place: elsewhere, protocol: "imap" }))).toBeUndefined();
});
