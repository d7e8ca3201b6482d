import { RegionList } from "@postern/shared/contracts";
import { createRegionStatuses, type RegionStatus, type RegionStatuses } from "@postern/shared/domain/regions";
import { systemClock } from "@postern/shared/platform/time";
import { poll } from "@postern/testing";
import { Check } from "typebox/value";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { axeProblems } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { layoutProblems } from "../../support/page-rules.ts";
import { testRedis } from "../../support/redis-content.ts";
import { runOperator } from "../../support/run-operator.ts";
import { auditLines, type ConsoleStack, openConsole, startConsoleStack } from "./console-stack.ts";

const owned = new AsyncDisposableStack();
let desk: ConsoleStack;
/** As a jobs-worker, which this site does not run, would write them. */
let statuses: RegionStatuses;

beforeAll(async () => {
  // Nothing but jobs-worker connects to it.
  const bus = { servers: ["nats://127.0.0.1:1"] };
  const regions = { name: "east", peers: ["west", "north"], bus };
  desk = owned.use(await startConsoleStack({ runtime: { regions } }));
  const redis = await testRedis(desk.stack.redis?.port ?? 0);
  owned.defer(() => redis.disconnect());
  statuses = createRegionStatuses(redis, "postern:", systemClock);
});

afterAll(() => owned.disposeAsync());

const command = (...args: readonly string[]) => runOperator(desk.stack.url, ["regions", ...args]);

const sinceMs = Date.parse("2030-05-06T13:00:00.000Z");
const status = (name: string, more: Partial<RegionStatus> = {}): RegionStatus => ({
  name,
  link: "up",
  sinceMs,
  lastMessageMs: sinceMs + 1000,
  lagMs: 84,
  waiting: 3,
  applied: 1200,
  dropped: {},
  ...more,
});

async function listed(): Promise<RegionList> {
  const { out, err } = await command("--json");
  expect(err).toBe("");
  const list: unknown = JSON.parse(out);
  if (!Check(RegionList, list)) throw new Error(`not a list of regions: ${out}`);
  return list;
}

test("before a worker has reported, the links are unknown, and the system report says why", async () => {
  expect(await listed()).toEqual({
    name: "east",
    is_exchanging: false,
    regions: ["north", "west"].map((name) => ({
      name,
      link: "unknown",
      dropped: {},
      is_configured: true,
      is_forgetting: false,
    })),
  });
  const { body } = await askAdmin(desk.stack, "GET", "/api/v1/console/system");
  expect(body["findings"]).toContainEqual(expect.objectContaining({ severity: "warning", subject: "regions" }));
});

test("interface, command and console show each link, and a cut one is a warning", async () => {
  const south = status("south", { dropped: { malformed: 0 } });
  const west = status("west", { link: "down", waiting: 70, dropped: { unauthentic: 2, failed: 1 } });
  const reported = [status("north", { snapshotMs: sinceMs, position: "1-0" }), west, south];
  expect(await statuses.write(reported)).toEqual([]);
  const since = "2030-05-06T13:00:00.000Z";
  const common = { since, last_message: "2030-05-06T13:00:01.000Z", lag_ms: 84, applied: 1200, is_forgetting: false };
  expect((await listed()).regions).toEqual([
    {
      name: "north",
      link: "up",
      ...common,
      waiting: 3,
      dropped: {},
      snapshot: since,
      position: "1-0",
      is_configured: true,
    },
    // It was removed from the configuration.
    { name: "south", link: "unknown", ...common, waiting: 3, dropped: {}, is_configured: false },
    { name: "west", link: "down", ...common, waiting: 70, dropped: { unauthentic: 2, failed: 1 }, is_configured: true },
  ]);
  const shown = await command();
  expect(shown.code).toBe(1);
  expect(shown.out).toContain("this region: east");
  expect(shown.out).toMatch(/west +down .* 84 ms +70 +1200 +2 unauthentic, 1 failed/u);
  const browser = await sharedChromium();
  await using context = await browser.newContext({ locale: "en-US", bypassCSP: true });
  // An operator whose home is this region.
  const page = await openConsole(context, desk, "sam");
  await page.getByRole("link", { name: "System" }).click();
  const table = page.getByRole("table", { name: "Regions" });
  const row = table.getByRole("row").filter({ hasText: "west" });
  // The report is kept for a few seconds, and a status is out of date after a few more.
  await poll("a report with the links", async () => {
    await statuses.write(reported);
    await page.reload();
    return (await row.innerText()).includes("down");
  });
  expect(await row.innerText()).toMatch(/down[\s\S]*since[\s\S]*84 ms\s+70\s+1200\s+2 not authentic, 1 failed/u);
  expect(await table.getByRole("row").filter({ hasText: "south" }).innerText()).toContain("no longer configured");
  expect(await page.getByRole("table", { name: "Findings" }).innerText()).toMatch(/region west\s+no link since/u);
  for (const width of [320, 390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    expect([width, await layoutProblems(page)]).toEqual([width, []]);
  }
  expect(await axeProblems(page)).toEqual([]);
});

test("with all links up, the command succeeds", async () => {
  await statuses.write([status("north"), status("west")]);
  expect((await command()).code).toBe(0);
});

test("a region is forgotten by the worker; one that the site does not know is refused", async () => {
  expect(await command("forget", "west")).toMatchObject({ code: 0, out: "west will be forgotten within seconds\n" });
  expect((await listed()).regions.filter((one) => one.is_forgetting).map(({ name }) => name)).toEqual(["west"]);
  expect(await statuses.write([status("north"), status("west")])).toEqual(["west"]);
  await statuses.forgotten("west");
  expect((await listed()).regions).toMatchObject([
    { name: "north" },
    { name: "south" },
    { name: "west", link: "unknown" },
  ]);
  expect(await statuses.write([status("north")])).toEqual([]);
  // It is of the configuration no more, and is gone once it is forgotten.
  expect((await command("forget", "south")).code).toBe(0);
  await statuses.forgotten("south");
  expect((await listed()).regions.map(({ name }) => name)).toEqual(["north", "west"]);
  for (const name of ["south", "east"])
    expect((await command("forget", name)).err).toContain("no other region has this name");
  const lines = auditLines(desk, "region.forget").map(({ outcome, actor, target }) => [outcome, actor, target]);
  expect(lines).toEqual([
    ["ok", "backchannel", "west"],
    ["ok", "backchannel", "south"],
    ["denied", "backchannel", "south"],
    ["denied", "backchannel", "east"],
  ]);
});
