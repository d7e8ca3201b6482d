import { expect, test } from "vitest";
import { englishText } from "../../texts/write-texts.ts";
import { byAccount, byNetwork, colourOf, lanesOf, shapeOf } from "./lanes.ts";
import { fullHistory, sampleHistory, sampleNowMs, sampleRecord } from "./testing/sample-history.ts";

const counted = (hoursAgo: number) =>
  sampleRecord(1, {
    first_time: new Date(sampleNowMs - hoursAgo * 3_600_000).toISOString(),
    days: [{ date: "2030-05-06", count: 2 }],
  });

const about = { nowMs: sampleNowMs };

test("networks are lanes, that with the latest sign-in first, with their place, counts and bans", () => {
  const bans = [
    { network: "203.0.113.9", rule: "imap", start: "2030-05-06T13:00:00Z", end: "2030-05-06T15:00:00Z" },
    { network: "10.0.0.0/8", rule: "imap", start: "2030-05-06T13:00:00Z", end: "2030-05-06T15:00:00Z" },
  ];
  const { lanes, fromMs, toMs, isMerged } = lanesOf(sampleHistory().records, byNetwork, { ...about, bans });
  expect((toMs - fromMs) / 86_400_000).toBe(30);
  expect(isMerged).toBe(false);
  expect(lanes.map(({ name }) => name)).toEqual([
    "198.51.100.0/24",
    "203.0.113.0/24",
    "192.0.2.0/24",
    "2001:db8:1::/48",
  ]);
  const [bot, home, phone] = lanes;
  expect(bot).toMatchObject({ successes: 0, bans: [] });
  expect(bot?.place && englishText(bot.place)).toBe("Nigeria, Example Hosting (AS64502)");
  expect(home?.bans.map(({ network }) => network)).toEqual(["203.0.113.9"]);
  // Both programs of a day are one bar.
  expect(home?.days.get(29)).toBe(14 + 6);
  expect(home?.days.size).toBe(30);
  expect(phone?.marks.filter(({ isFirst }) => isFirst)).toHaveLength(1);
});

const firstOf = (hoursAgo: number) =>
  lanesOf([counted(hoursAgo)], byNetwork, about).lanes[0]?.marks.filter(({ isFirst }) => isFirst).length;

test("what was seen on the first day of the chart may have been there before", () => {
  expect(firstOf(29.5 * 24)).toBe(0);
  expect(firstOf(27 * 24)).toBe(1);
});

test("the largest history has at most 12 lanes and 400 marks, and nothing is lost in the counts", () => {
  const { records } = fullHistory();
  for (const kind of [byNetwork, byAccount]) {
    const { lanes, isMerged } = lanesOf(records, kind, about);
    expect(lanes).toHaveLength(12);
    expect(lanes.reduce((sum, { marks }) => sum + marks.length, 0)).toBeLessThanOrEqual(400);
    expect(isMerged).toBe(true);
    const counted = lanes.reduce((sum, { successes, failures }) => sum + successes + failures, 0);
    expect(counted).toBe(records.reduce((sum, { count }) => sum + count, 0));
    expect(lanes.at(-1)).toMatchObject({ name: "", members: expect.any(Number) });
  }
});

test("records of all kinds have a colour and a shape; one without a time or an address has a lane", () => {
  expect(["ok", "blocked", "undecided"].map((outcome) => colourOf({ outcome }))).toEqual(["ok", "blocked", "tempfail"]);
  const denied = ["wrong_password", "unknown_user", "policy"].map((reason) => colourOf({ outcome: "denied", reason }));
  expect(denied).toEqual(["wrong", "unknown", "denied"]);
  const shapes = ["imap", "smtp", "submission", "submissions"].map((protocol) =>
    shapeOf({ channel: "mail", protocol }),
  );
  expect(shapes).toEqual(["circle", "triangle", "triangle", "triangle"]);
  expect(shapeOf({ channel: "browser", protocol: "oidc" })).toBe("square");
  expect(shapeOf({ channel: "jwt", protocol: "http" })).toBe("diamond");
  const { network: _network, ...bare } = sampleRecord(1, { time: "never", client_ip: "" });
  expect(lanesOf([bare], byNetwork, about).lanes).toMatchObject([{ name: "unknown", marks: [], successes: 1 }]);
});
