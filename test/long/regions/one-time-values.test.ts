import { setTimeout as delay } from "node:timers/promises";
import { homeOf } from "@postern/shared/domain/region-calls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { codeOf, follow, post, type Region, regions } from "../../integration/one-issuer/issuer-regions.ts";
import { askAdmin } from "../../support/ask-admin.ts";
import { askJson } from "../../support/ask-json.ts";
import { totpCode } from "../../support/totp-code.ts";
import {
  atFactor,
  factorSecret,
  factorUserOf,
  type IssuerSites,
  newCode,
  newRefreshToken,
  newTokens,
  otherOf,
  passwords,
  startIssuerSites,
  tokenUser,
  userOf,
  type Value,
} from "./one-issuer-sites.ts";
import { quantileOf, type SteadyLoad, showHistogram, startSteadyLoad } from "./steady-load.ts";

const owned = new AsyncDisposableStack();
let sites: IssuerSites;
let loads: Readonly<Record<Region, SteadyLoad>>;
/** While the gateway of east is killed. */
let gone = { fromMs: 0, toMs: 0 };

beforeAll(async () => {
  sites = owned.use(await startIssuerSites());
  sites.link.delay(80, 40);
  await sites.joined();
  loads = {
    east: owned.use(startSteadyLoad(sites.urlOf("east"))),
    west: owned.use(startSteadyLoad(sites.urlOf("west"))),
  };
}, 300_000);

afterAll(() => owned.disposeAsync());

const numbers = (count: number, from = 0): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index);
const regionAt = (number: number): Region => (number % 2 === 0 ? "east" : "west");

/** As many at a time as do not occupy the machine themselves. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.values();
  const one = async (): Promise<void> => {
    for (const item of queue) results.push(await work(item));
  };
  await Promise.all([one(), one(), one()]);
  return results;
}

/** Half of them codes, half refresh tokens, of these regions in turn. */
function newValues(count: number, ofRegions: readonly Region[] = regions): Promise<readonly Value[]> {
  return inTurns(numbers(count), (number) => {
    const owner = ofRegions[number % ofRegions.length] ?? "east";
    return (number % 4 < 2 ? newCode : newRefreshToken)(sites, owner);
  });
}

/** What a client learns: the status and, of a refusal, the reason. `unreachable`: the gateway does not exist. */
type Outcome = "200" | "400 invalid_grant" | "503 temporarily_unavailable" | "unreachable";

async function redeem(region: Region, { form }: Value): Promise<string> {
  const answer = await post(sites, region, "/oidc/token", form).catch(() => undefined);
  if (answer === undefined) return "unreachable" satisfies Outcome;
  return [String(answer.status), answer.body["error"] ?? []].flat().join(" ");
}

interface Spent {
  readonly value: Value;
  /** At the region that keeps the value, and at the other one. */
  readonly here: string;
  readonly there: string;
}

/** So that either request may be the first to arrive. */
const headStartMs = 250;

async function spendAtBoth(value: Value): Promise<Spent> {
  const there = redeem(otherOf[value.owner], value);
  await delay(Math.random() * headStartMs);
  return { value, here: await redeem(value.owner, value), there: await there };
}

const successes = (outcomes: readonly string[]): number => outcomes.filter((outcome) => outcome === "200").length;

/** Sends a value once more to the region that does not keep it. None succeeds twice. @returns the last outcome of each */
function retried(all: readonly Spent[]): Promise<readonly string[]> {
  return inTurns(all, async ({ value, here, there }) => {
    const again = await redeem(otherOf[value.owner], value);
    expect(successes([here, there, again])).toBeLessThanOrEqual(1);
    expect(["200", "400 invalid_grant"] satisfies Outcome[]).toContain(again);
    return again;
  });
}

function showOutcomes(title: string, all: readonly Spent[]): void {
  const counts = new Map<string, number>();
  for (const { here, there } of all) counts.set(`${here} + ${there}`, (counts.get(`${here} + ${there}`) ?? 0) + 1);
  process.stdout.write(`${title}: ${[...counts].map(([pair, count]) => `${count} × (${pair})`).join(", ")}\n`);
}

test("of two redemptions at both regions, exactly one succeeds", async () => {
  const all = await inTurns(await newValues(20), spendAtBoth);
  showOutcomes("joined", all);
  for (const { here, there } of all)
    expect([here, there].toSorted()).toEqual(["200", "400 invalid_grant"] satisfies Outcome[]);
  for (const again of await retried(all)) expect(again).toBe("400 invalid_grant");
});

test("while connections between the regions are reset, no value is used twice, and the region that keeps it always answers", async () => {
  const values = await newValues(16);
  const timer = setInterval(() => sites.link.reset(), 700);
  const all = await inTurns(values, spendAtBoth).finally(() => clearInterval(timer));
  showOutcomes("reset", all);
  for (const { here, there } of all) {
    expect(["200", "400 invalid_grant"]).toContain(here);
    expect(["200", "400 invalid_grant", "503 temporarily_unavailable"]).toContain(there);
    expect(successes([here, there])).toBeLessThanOrEqual(1);
  }
  await sites.joined();
  await retried(all);
});

test("while the link is cut, values are used where they are kept only, and elsewhere afterwards", async () => {
  const [both, elsewhere] = [await newValues(8), await newValues(8)];
  sites.link.cut();
  const spending = Promise.all(both.map(spendAtBoth));
  const waiting = Promise.all(elsewhere.map((value) => redeem(otherOf[value.owner], value)));
  const [all, away] = await Promise.all([spending, waiting]).finally(() => sites.link.restore());
  showOutcomes("cut", all);
  for (const { here, there } of all) expect([here, there]).toEqual(["200", "503 temporarily_unavailable"]);
  for (const outcome of away) expect(outcome).toBe("503 temporarily_unavailable");
  await sites.joined();
  for (const again of await retried(all)) expect(again).toBe("400 invalid_grant");
  const unused = elsewhere.map((value) => ({ value, here: "", there: "503" }));
  for (const again of await retried(unused)) expect(again).toBe("200");
});

type SignIn = Awaited<ReturnType<typeof atFactor>>;

/** Enters the same code in these sign-ins. @returns for each the code for its client if it succeeds, and otherwise why not */
function enterCode(code: string, signIns: readonly SignIn[]): Promise<readonly string[]> {
  const enter = async ({ browser, page }: SignIn): Promise<string> => {
    const answer = await follow(browser, await browser.submit(page, { code }));
    const granted = codeOf(answer);
    if (granted !== "") return granted;
    return answer.status < 500 && answer.text.includes('name="code"') ? "wrong" : `temporary ${answer.status}`;
  };
  return Promise.all(signIns.map(enter));
}

const granted = expect.stringMatching(/^(?:east|west)~/u);
const temporary = "temporary 500";

/** Sign-ins of one account: at its home, and at the other region. */
async function atBoth(number: number) {
  const user = factorUserOf(number);
  const home = homeOf(user, regions) === "east" ? "east" : "west";
  return { home: await atFactor(sites, home, user), other: await atFactor(sites, otherOf[home], user) };
}

test.each([
  ["once", 0, false],
  ["once while the link is reset", 8, true],
])("a code of an authenticator app is used %s", async (title, firstAccount, isReset) => {
  for (const { home, other } of await inTurns(numbers(8, firstAccount), atBoth)) {
    const code = totpCode(factorSecret);
    const first = Promise.all([
      enterCode(code, [other]),
      delay(Math.random() * 2 * headStartMs).then(() => enterCode(code, [home])),
    ]);
    if (isReset) await delay(Math.random() * 2 * headStartMs).then(() => sites.link.reset());
    const outcomes = (await first).flat();
    await sites.joined();
    outcomes.push(...(await enterCode(code, [other, home])));
    process.stdout.write(`code of an app, ${title}: ${outcomes.map((one) => one.slice(0, 13)).join(", ")}\n`);
    // A form that is sent twice shows the same outcome again.
    expect(new Set(outcomes.filter((one) => one.includes("~"))).size).toBe(1);
    if (!isReset) expect(outcomes.filter((one) => one === "wrong")).toHaveLength(2);
  }
});

test("while the link is cut, a code of an authenticator app is used at the account's home only, and elsewhere afterwards if it was not", async () => {
  const [both, elsewhere] = [await inTurns(numbers(4, 16), atBoth), await inTurns(numbers(4, 20), atBoth)];
  const code = totpCode(factorSecret);
  sites.link.cut();
  const spending = Promise.all(both.map(({ home, other }) => enterCode(code, [home, other])));
  const waiting = Promise.all(elsewhere.map(({ other }) => enterCode(code, [other])));
  const [all, away] = await Promise.all([spending, waiting]).finally(() => sites.link.restore());
  process.stdout.write(
    `codes of apps, cut: ${[...all, ...away]
      .flat()
      .map((one) => one.slice(0, 13))
      .join(", ")}\n`,
  );
  for (const outcomes of all) expect(outcomes).toEqual([granted, temporary]);
  for (const outcomes of away) expect(outcomes).toEqual([temporary]);
  await sites.joined();
  for (const { other } of both) expect(await enterCode(code, [other])).toEqual(["wrong"]);
  for (const { other } of elsewhere) expect(await enterCode(code, [other])).toEqual([granted]);
});

test("while the gateway of a region is killed, nothing is used twice, and what was not used is used after its return", async () => {
  const { east } = sites.stacks;
  const [flying, elsewhere, ofWest] = [
    await newValues(8, ["east"]),
    await newValues(6, ["east"]),
    await newValues(4, ["west"]),
  ];
  const spending = Promise.all(flying.map(spendAtBoth));
  await delay(headStartMs / 2);
  gone = { fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
  east.gateway.signal("SIGKILL");
  const all = await spending;
  showOutcomes("killed", all);
  const away = await Promise.all(elsewhere.map((value) => redeem("west", value)));
  for (const outcome of away) expect(outcome).toBe("503 temporarily_unavailable");
  // The other region's own values are none of its concern.
  for (const outcome of await Promise.all(ofWest.map((value) => redeem("west", value)))) expect(outcome).toBe("200");
  await east.gateway.stop();
  await east.start("gateway");
  gone = { ...gone, toMs: performance.now() };
  await sites.joined();
  await retried(all);
  const unused = elsewhere.map((value) => ({ value, here: "", there: "503" }));
  for (const again of await retried(unused)) expect(again).toBe("200");
});

async function mailStatus(region: Region, username: string, password: string, method = "plain"): Promise<number> {
  const login = { username, password, method, protocol: "imap", client_ip: "192.0.2.9" };
  return (await askJson(sites.urlOf(region), login)).status;
}

/** Milliseconds until a region refuses what it accepted before; infinite if it goes on accepting it. */
async function timeUntilRefused(statusOf: () => Promise<number>): Promise<number> {
  const from = performance.now();
  while ((await statusOf()) !== 403) {
    if (performance.now() - from > 10_000) return Number.POSITIVE_INFINITY;
    await delay(20);
  }
  return performance.now() - from;
}

test("a changed password is refused in the other region within a second of the flush, and the new one is not", async () => {
  const times = await inTurns(numbers(40), async (number) => {
    const [user, at] = [userOf(number), regionAt(number)];
    for (const region of regions) expect(await mailStatus(region, user, passwords.first)).toBe(200);
    sites.setPassword(user, "second");
    expect((await askAdmin(sites.stacks[at], "DELETE", "/api/v1/cache/flush", { body: { user } })).status).toBe(200);
    const took = await timeUntilRefused(() => mailStatus(otherOf[at], user, passwords.first));
    for (const region of regions) expect(await mailStatus(region, user, passwords.second)).toBe(200);
    return took;
  });
  showHistogram("flushed passwords", times);
  expect(quantileOf(times, 0.95)).toBeLessThan(1000);
});

/** Revokes a token at either region. @returns milliseconds until mail servers of the other one refuse the access token */
async function revokedAfter(number: number, client: "signed" | "web", revoked: "access_token" | "refresh_token") {
  const owner = regionAt(number);
  const { [revoked]: token, access_token: access, refresh_token: refresh } = await newTokens(sites, owner, client);
  const status = () => mailStatus(otherOf[owner], tokenUser, String(access), "xoauth2");
  expect(await status()).toBe(200);
  const at = number % 4 < 2 ? owner : otherOf[owner];
  expect((await post(sites, at, "/oidc/revoke", { client, token: String(token) })).status).toBe(200);
  const timing = timeUntilRefused(status);
  if (revoked === "refresh_token") {
    const form = { client, grant_type: "refresh_token", refresh_token: String(refresh) };
    expect(await redeem(otherOf[owner], { owner, form })).toBe("400 invalid_grant");
  }
  return timing;
}

test.each([
  ["opaque access token", "web", "access_token"],
  ["signed access token", "signed", "access_token"],
  ["refresh token with its opaque access token", "web", "refresh_token"],
  ["refresh token with its signed access token", "signed", "refresh_token"],
] as const)("a revoked %s is refused in the other region within a second", async (title, client, revoked) => {
  const times = await inTurns(numbers(20), (number) => revokedAfter(number, client, revoked));
  showHistogram(`revoked: ${title}`, times);
  expect(quantileOf(times, 0.95)).toBeLessThan(1000);
});

test("no valid sign-in is refused all the while, except by the gateway that did not exist", () => {
  const refused = regions.flatMap((region) => loads[region].refused.map((answer) => ({ region, ...answer })));
  const isGone = ({ region, status, atMs }: (typeof refused)[number]): boolean =>
    region === "east" && status === 0 && atMs >= gone.fromMs && atMs <= gone.toMs;
  process.stdout.write(`valid sign-ins: ${loads.east.count() + loads.west.count()}, refused: ${refused.length}\n`);
  expect(refused.filter((answer) => !isGone(answer))).toEqual([]);
});
