import { pause } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { showFigures } from "./figures.ts";
import { kill, type MachinePair, type Observed, startMachinePair } from "./machine-pair.ts";

const rounds = 3;
/** How many times each probe is answered in each phase of a fault. */
const enough = 40;
let pair: MachinePair;

beforeAll(async () => {
  pair = await startMachinePair();
}, 180_000);

afterAll(() => pair[Symbol.asyncDispose](), 60_000);

function shown(title: string, { wrong, slowestMs, answered }: Observed): Observed["wrong"] {
  showFigures(title, { answered, wrong: wrong.length, "slowest ms": slowestMs });
  return wrong;
}

test("one of two processes is killed and started again, in turn: every request is decided by the other one", async () => {
  const observed = await pair.observe(async (more) => {
    for (let round = 0; round < rounds; round += 1) {
      await more(enough);
      await kill(pair.siteAt(round % 2).gateway);
      await more(enough);
      await pair.restart(round % 2);
      await pair.bothHeard();
    }
    await more(enough);
  });
  expect(shown("one process killed", observed)).toEqual([]);
});

test("one of two processes is frozen, and continues: every request is decided by the other one", async () => {
  const observed = await pair.observe(async (more) => {
    for (const { gateway } of [pair.siteAt(0), pair.siteAt(1)]) {
      await more(enough);
      await pause(gateway);
      // Each of those that ask the frozen one first waits until the client gives up.
      await more(3);
      gateway.signal("SIGCONT");
      await pair.bothHeard();
    }
    await more(enough);
  });
  expect(shown("one process frozen", observed)).toEqual([]);
});

test("both processes are restarted in turn, three times: no request fails", async () => {
  const codes: (number | null)[] = [];
  const observed = await pair.observe(async (more) => {
    for (let round = 0; round < 2 * rounds; round += 1) {
      await more(enough);
      codes.push(await pair.siteAt(round % 2).gateway.stop());
      await more(3);
      await pair.restart(round % 2);
      await pair.bothHeard();
    }
    await more(enough);
  });
  expect(shown("rolling restart of one process", observed)).toEqual([]);
  expect(new Set(codes)).toEqual(new Set([0]));
});

test("NATS is gone and back: both processes decide, and a ban by one holds at the other", async () => {
  const answers: number[] = [];
  const observed = await pair.observe(async (more) => {
    for (let round = 0; round < rounds; round += 1) {
      await kill(pair.nats());
      await more(enough);
      answers.push(await pair.ban(`192.0.${round}`));
      await pair.restartNats();
      await pair.bothHeard();
    }
    await more(enough);
  });
  expect(shown("NATS gone", observed)).toEqual([]);
  expect(new Set(answers)).toEqual(new Set([403]));
});

test("NATS is stalled: both processes decide, and a ban by one holds at the other", async () => {
  const observed = await pair.observe(async (more) => {
    await pause(pair.nats());
    await more(3 * enough);
    expect(await pair.ban("192.0.20")).toBe(403);
    pair.nats().signal("SIGCONT");
    await pair.bothHeard();
    await more(enough);
  });
  expect(shown("NATS stalled", observed)).toEqual([]);
});

test.each(["killed", "frozen"] as const)(
  "Redis is %s and comes back with its data: both processes decide, and known bans hold all the time",
  async (fault) => {
    const observed = await pair.observe(async (more) => {
      await (fault === "frozen" ? pause(pair.redis()) : kill(pair.redis()));
      await more(enough);
      if (fault === "frozen") pair.redis().signal("SIGCONT");
      else await pair.restartRedis();
      await pair.bothUseRedis();
      await more(enough);
    });
    expect(shown(`Redis ${fault}`, observed)).toEqual([]);
  },
);

test("NATS and Redis are gone together: each process decides alone, and known bans hold", async () => {
  const observed = await pair.observe(async (more) => {
    await kill(pair.nats());
    await kill(pair.redis());
    await more(enough);
    await pair.restartNats();
    await pair.restartRedis();
    await pair.bothUseRedis();
    await pair.bothHeard();
    await more(enough);
  });
  expect(shown("NATS and Redis gone", observed)).toEqual([]);
});
