import { once } from "node:events";
import { poll, type Slapd } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { askJson } from "../../support/ask-json.ts";
import { startDelayingProxy } from "../../support/delaying-proxy.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import type { Tree } from "../../support/stack-config.ts";
import { startStallableProxy } from "../../support/stallable-proxy.ts";
import { startTcpRecorder } from "../../support/tcp-server.ts";
import { signInOf, spawnPeople, twoPools } from "./two-directories.ts";

const owned = new AsyncDisposableStack();
let stack: Stack;
let oldSlapd: Slapd;
let newSlapd: Slapd;
let lyingSlapd: Slapd;
let oversizedSlapd: Slapd;

const everyone = [0, 1, 2, 3, 4, 5];
/** Signs in with a wrong password only. */
const forgetful = 6;
const bucket = { name: "imap", period: "10m", ban_time: "1h", failed_requests: 1000, ipv4: true, cidr: 24 };
/** Larger than any answer, in one attribute that is released. */
const hugeValue = "x".repeat(3_000_000);
/** An account name that an answer has room for. */
const longName = `${"x".repeat(200_000)}@example.test`;

beforeAll(async () => {
  oldSlapd = owned.use(await spawnPeople([...everyone, forgetful]));
  newSlapd = owned.use(await spawnPeople([...everyone, forgetful]));
  lyingSlapd = owned.use(
    await spawnPeople([0, 1, 2, 8, 9], (number) => ({
      password: "wrong-for-the-old",
      mail: `liar${number}@example.test`,
      lines: ["title: liar", "employeeType: disabled"],
    })),
  );
  oversizedSlapd = owned.use(
    await spawnPeople([...everyone, forgetful], (number) =>
      number % 2 === 0 ? { mail: longName } : { lines: [`description: ${hugeValue}`] },
    ),
  );
  stack = owned.use(
    await startStack({
      redis: true,
      services: ["admin"],
      backends: { order: ["ldap(old)"], ldap: twoPools(oldSlapd.port, newSlapd.port) },
      settings: {
        auth: {
          controls: { enabled: ["brute_force"], brute_force: { buckets: [bucket] } },
          shadow: { order: [] },
        },
      },
    }),
  );
});

afterAll(() => owned.disposeAsync());

const reloaded = ["auth-engine", "admin"] as const;
/** Requests since the report was deleted that are to appear in it. */
let expected = 0;

/** Replaces the shadow, and begins a new report; the server of the pool `new` may be another one, and its secret too. */
async function useShadow(shadow: Tree, port = newSlapd.port, secret?: string): Promise<void> {
  const reloads = (name: (typeof reloaded)[number]): number =>
    stack
      .service(name)
      .output()
      .split("\n")
      .filter((line) => line.includes('"configuration reloaded"') && line.includes(`"${name}"`)).length;
  const before = reloaded.map(reloads);
  await stack.writeSettings({
    auth: { shadow: { order: ["ldap(new)"], ...shadow }, backends: { ldap: twoPools(oldSlapd.port, port, secret) } },
  });
  for (const name of stack.isOneProcess ? reloaded.slice(0, 1) : reloaded) stack.service(name).signal("SIGHUP");
  await poll("the reload", () => reloaded.every((name, index) => reloads(name) > (before[index] ?? 0)));
  // What the former shadow left is dropped, and reported too.
  const left = await reportedSoon(expected);
  expect(left.compared + omittedIn(left)).toBe(expected);
  expect((await askAdmin(stack, "DELETE", "/api/v1/shadow")).status).toBe(204);
  expected = 0;
}

interface Report {
  readonly compared: number;
  readonly different: number;
  readonly omitted: Readonly<Record<string, number>>;
  readonly kinds: readonly { readonly kind: string; readonly requests: number }[];
  readonly differences: readonly { readonly kind: string; readonly new?: string }[];
}

async function readReport(): Promise<Report> {
  const { text } = await askAdmin(stack, "GET", "/api/v1/shadow");
  return JSON.parse(text);
}

const omittedIn = ({ omitted }: Report): number => Object.values(omitted).reduce((sum, count) => sum + count, 0);

/** The report, once so many requests were compared or replies up. */
const reportedSoon = (count: number) =>
  poll("the comparisons", async () => {
    const report = await readReport();
    return report.compared + omittedIn(report) >= count && report;
  });

/** Each right password, a wrong one, and an unknown name, then a lookup, a lookup of nobody, and a cached success. */
async function answers(network: number): Promise<readonly unknown[]> {
  const from = { client_ip: `198.51.${network}.9` };
  const requests = [
    ...everyone.map((number) => [signInOf(number, from)] as const),
    [signInOf(forgetful, { ...from, password: "a-wrong-one" })] as const,
    [signInOf(9, from)] as const,
    [signInOf(0, from), "?mode=no-auth"] as const,
    [signInOf(8, from), "?mode=no-auth"] as const,
    [signInOf(0, from)] as const,
  ];
  const found: unknown[] = [];
  for (const [body, query] of requests) {
    const { status, body: text, headers } = await askJson(stack.url, body, { query });
    const own = [...headers].filter(([name]) => !["date", "auth-wait"].includes(name) && !name.includes("session"));
    found.push([status, text, own]);
  }
  return found;
}
const perRun = 11;

/** Series that an engine counts for decisions, without those of the shadow and those that measure time or processes. */
const countedSeries =
  /^(service_(?:engine_decision_seconds_count|directory_seconds_count|brute_force_\w+_total|result_cache_\w+_total|hashing_\w+)(?:\{[^}]*\})?) (\S+)$/gmu;

async function counters(): Promise<ReadonlyMap<string, number>> {
  const text = await stack.service("auth-engine").metrics();
  return new Map([...text.matchAll(countedSeries)].map(([, name = "", value]) => [name, Number(value)]));
}

/**
 * What the answers of a run were, and by how much each counter rose.
 * @param compared waits until the shadow has done what it does, so that a counter that it raises is seen
 */
async function observed(network: number, compared: () => Promise<unknown>) {
  const before = await counters();
  const replies = await answers(network);
  await compared();
  const after = await counters();
  const rises = [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
  return { replies, rises: Object.fromEntries(rises.filter(([, rise]) => rise !== 0)) };
}

let network = 0;
/** @param reported requests of the run that are to appear in the report before the counters are read */
async function nextRun(reported = perRun) {
  expected += reported === 0 ? 0 : perRun;
  network += 1;
  return observed(network, () => reportedSoon(reported));
}
let withoutShadow: Awaited<ReturnType<typeof observed>>;

test("without a shadow, nothing is compared", async () => {
  // The first run warms what later runs find.
  await nextRun(0);
  withoutShadow = await nextRun(0);
  expect(withoutShadow.replies.map((one) => Object(one)[0])).toEqual([
    ...everyone.map(() => 200),
    403,
    403,
    200,
    403,
    200,
  ]);
  expect(Object.keys(withoutShadow.rises).length).toBeGreaterThan(5);
  expect(await readReport()).toMatchObject({ compared: 0, is_on: false });
});

test("a shadow that hangs changes no answer and no counter: all answers came, and it never answered", async () => {
  await using proxy = await startStallableProxy(newSlapd.port);
  proxy.stall();
  await useShadow({ passwords: "all", timeout: "60s", concurrency: 2, queue_length: 3 }, proxy.port);
  expect(await nextRun(perRun - 5)).toEqual(withoutShadow);
  // Two are under way and three wait; the rest found no place.
  const report = await reportedSoon(perRun - 5);
  expect(report).toMatchObject({ compared: 0, omitted: { undecided_new: 0, dropped: perRun - 5 } });
  // The next reload does not wait for what hangs.
  await useShadow({});
});

test("a slow shadow and one that dies change no answer and no counter", async () => {
  await using proxy = await startDelayingProxy(newSlapd.port);
  await useShadow({ passwords: "all", timeout: "60s" }, proxy.port);
  proxy.delay(300);
  expect(await nextRun()).toEqual(withoutShadow);
  expect(await reportedSoon(perRun)).toMatchObject({ compared: perRun, different: 0 });
  await useShadow({ passwords: "all", timeout: "1s" }, proxy.port);
  await newSlapd.kill();
  expect(await nextRun()).toEqual(withoutShadow);
  expect(await reportedSoon(perRun)).toMatchObject({ compared: 0, omitted: { undecided_new: perRun } });
  await newSlapd.start();
});

test("a lying shadow changes no answer and no counter, and each lie is reported", async () => {
  await useShadow({ passwords: "all" }, lyingSlapd.port);
  expect(await nextRun()).toEqual(withoutShadow);
  const { kinds, compared } = await reportedSoon(perRun);
  const requests = Object.fromEntries(kinds.map((one) => [one.kind, one.requests]));
  // Four of seven are missing; three have another password, which the second sign-in of 0 does not send again; 9 exists only here, and 8 is
  // disabled, as unknown to lookups.
  expect([compared, requests["missing"], requests["password"], requests["added"]]).toEqual([perRun, 4, 3, 1]);
});

test("an oversized shadow changes no answer and no counter", async () => {
  await useShadow({ passwords: "accepted" }, oversizedSlapd.port);
  expect(await nextRun()).toEqual(withoutShadow);
  const report = await reportedSoon(perRun);
  expect(report.compared + omittedIn(report)).toBe(perRun);
  // Those with an even number, the forgetful one too.
  expect(report.differences.filter(({ kind }) => kind === "account").length).toBe(4);
  for (const { new: now = "" } of report.differences) expect(now.length).toBeLessThanOrEqual(256);
  expect(JSON.stringify(report).length).toBeLessThan(100_000);
});

test.each([
  ["none", false, false],
  ["accepted", true, false],
  ["all", true, true],
] as const)("with passwords %s, the shadow gets right ones: %s, wrong ones: %s", async (passwords, right, wrong) => {
  await using recorder = await startTcpRecorder(() => newSlapd.port);
  await useShadow({ passwords }, recorder.port);
  await nextRun();
  expect(await reportedSoon(perRun)).toMatchObject({ compared: perRun, different: 0 });
  const sent = recorder.sent.join("\n");
  expect(sent).toContain("p0");
  expect([sent.includes("p0-password"), sent.includes("p5-password")]).toEqual([right, right]);
  expect(sent.includes("a-wrong-one")).toBe(wrong);
  expect([...stack.services.values()].map((service) => service.output()).join("\n")).not.toMatch(
    /p\d-password|a-wrong-one/u,
  );
});

test("a password that is wrong there is sent once, however often the user signs in", async () => {
  await using recorder = await startTcpRecorder(() => lyingSlapd.port);
  await useShadow({ passwords: "accepted" }, recorder.port);
  await Promise.all([0, 0, 0].map((number) => askJson(stack.url, signInOf(number))));
  await reportedSoon(3);
  await askJson(stack.url, signInOf(0));
  expected = 4;
  const { compared, kinds } = await reportedSoon(4);
  expect([compared, kinds.find(({ kind }) => kind === "password")?.requests]).toEqual([4, 1]);
  expect(recorder.sent.join("\n").split("p0-password").length - 1).toBe(1);
});

test("only the chosen share, protocols and domains are compared, and nothing once it is off", async () => {
  await useShadow({ protocols: ["smtp"], domains: ["example.org"] });
  await askJson(stack.url, signInOf(0));
  await askJson(stack.url, signInOf(0, { protocol: "smtp" }));
  await askJson(stack.url, signInOf(0, { protocol: "smtp", username: "p0@example.net" }));
  await askJson(stack.url, signInOf(0, { protocol: "smtp", username: "p0@EXAMPLE.org" }));
  expected = 1;
  expect(await reportedSoon(1)).toMatchObject({ compared: 1, protocols: [{ name: "smtp", compared: 1 }] });
  await useShadow({ order: [] });
  expect(await nextRun(0)).toEqual(withoutShadow);
  expect(await readReport()).toMatchObject({ compared: 0, is_on: false });
});

test("a reload with another secret of the shadow's directory applies to the next comparison, and to no answer", async () => {
  await useShadow({}, newSlapd.port, "a-former-secret");
  expect(await nextRun()).toEqual(withoutShadow);
  expect(await reportedSoon(perRun)).toMatchObject({ compared: 0, omitted: { undecided_new: perRun } });
  await useShadow({});
  expect(await nextRun()).toEqual(withoutShadow);
  expect(await reportedSoon(perRun)).toMatchObject({ compared: perRun, different: 0 });
});

/** Less than the time of a comparison, for which the engine must not wait. */
const endsWithinMs = 50_000;

test(
  "an engine ends while its shadow hangs",
  async () => {
    await using proxy = await startStallableProxy(newSlapd.port);
    proxy.stall();
    await useShadow({ passwords: "all", timeout: "60s", concurrency: 2, queue_length: 3 }, proxy.port);
    await nextRun(perRun - 5);
    const engine = stack.isOneProcess ? stack.gateway : stack.service("auth-engine");
    const ended = once(engine.process, "exit");
    engine.signal("SIGTERM");
    expect(await ended).toEqual([0, null]);
  },
  endsWithinMs,
);
