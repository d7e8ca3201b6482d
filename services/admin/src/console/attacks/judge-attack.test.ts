import { expect, test } from "vitest";
import { type AttackFacts, type Day, judgeAttack, surgeIn } from "./judge-attack.ts";

const nowMs = Date.parse("2030-05-06T13:55:00.000Z");
const stepMs = 600_000;

type Counts = readonly [admitted: number, refused: number];

/** A day that ends with the given ten minutes; before them, 1,000 of 1,020 sign-ins succeeded in each. */
function dayWith(latest: readonly Counts[], before?: Counts): Day {
  const all: readonly Counts[] = [...Array.from({ length: 144 - latest.length }, (): Counts => [1000, 20]), ...latest];
  const first = Math.floor(nowMs / stepMs) - all.length + 1;
  return {
    steps: all.map(([admitted, refused], index) => ({ timeMs: (first + index) * stepMs, admitted, refused })),
    weekBefore: () => before && { admitted: before[0], refused: before[1] },
  };
}

const attackers: AttackFacts["attackers"] = Array.from({ length: 40 }, (_, index) => ({
  network: `198.51.${index}.0/24`,
  attempts: 100,
  place: index < 34 ? { country: "NL", system: 64_500, owner: "Example Hosting" } : { country: "FR", system: 64_501 },
}));

const judge = (day: Day, more: Partial<AttackFacts> = {}) =>
  judgeAttack({ surge: surgeIn(day), accounts: 212, attackers, delayed: 0, nowMs, ...more });

test("an attack is said with its begin, what it is after and where most of it comes from", () => {
  const { state, verdict, since } = judge(
    dayWith([
      [1000, 20_000],
      [1000, 20],
      [900, 24_000],
      [300, 9000],
    ]),
  );
  expect([state, since]).toEqual(["attack", "2030-05-06T13:20:00.000Z"]);
  expect(verdict).toBe(
    "Under attack since 13:20 UTC: 94\u00A0% of 56220 sign-ins were refused. Tried: 212 accounts, from 40 networks. Mostly from Netherlands, AS64500 Example Hosting (34 of 40 networks).",
  );
});

test("where places are not known, the network with most attempts is named, if it has most of all", () => {
  const unplaced = attackers.slice(0, 6).map((one, index) => ({ ...one, place: {}, attempts: index === 3 ? 900 : 1 }));
  const day = dayWith([[900, 24_000]]);
  expect(judge(day, { attackers: unplaced }).verdict).toContain("Mostly from 198.51.3.0/24.");
  expect(judge(day, { attackers: unplaced.map((one) => ({ ...one, attempts: 5 })) }).verdict).not.toContain(
    "Mostly from",
  );
  expect(judge(day, { attackers: [] }).verdict).toContain("Tried: 212 accounts.");
});

test("few accounts and networks are rather a program, and with fewer successes than usual it is rather a fault", () => {
  const few = judge(dayWith([[1000, 900]]), { accounts: 1, attackers: attackers.slice(0, 1) });
  expect([few.state, few.verdict]).toEqual([
    "refusals",
    expect.stringContaining("1 account, from 1 network. This is rather"),
  ]);
  const fault = judge(
    dayWith([
      [10, 1000],
      [5, 1010],
      [2, 400],
    ]),
  );
  expect([fault.state, fault.verdict]).toEqual([
    "refusals",
    expect.stringContaining("Successes fell to 0.75\u00A0% of"),
  ]);
});

test.each([
  ["as many as usual", dayWith([[1000, 30]])],
  ["few, even if nothing was refused before", dayWith([[1000, 99]], [1000, 0])],
  ["as many as a week before", dayWith([[1000, 2000]], [1000, 1900])],
  ["a small part of the sign-ins", dayWith([[100_000, 200]])],
  [
    "over for half an hour",
    dayWith([
      [1000, 9000],
      [1000, 20],
      [1000, 20],
      [1000, 20],
    ]),
  ],
])("refusals are quiet if they are %s", (_what, day) => {
  expect(judge(day)).toEqual({ state: "quiet", verdict: "", sentences: [] });
});

test("without unusual refusals, several delayed accounts are being guessed", () => {
  const { state, verdict } = judge(dayWith([[1000, 30]]), { delayed: 5 });
  expect(judge(dayWith([[1000, 30]]), { delayed: 4 }).state).toBe("quiet");
  expect([state, verdict]).toEqual(["guessing", expect.stringContaining("being guessed: 5 accounts.")]);
});
