import type { SignInOrigins } from "@postern/shared/contracts";
import { originRangeNames } from "@postern/shared/domain/origins";
import { expect, test } from "vitest";
import { createShowPage } from "../console-document.ts";
import { originsPage } from "./origins-page.ts";
import { sampleOrigins } from "./testing/sample-origins.ts";
import { worldCentres } from "./world.generated.ts";
import { radiusOf } from "./world-map.ts";

const show = createShowPage("https://console.example.test", "Example Mail", "/style.css");

const bodyOf = (origins: Partial<SignInOrigins> = {}, outcome: "ok" | "refused" = "refused"): string =>
  show(originsPage({ range: "24h", outcome, origins: { ...sampleOrigins, ...origins } })).body;

const none = { ok: 0, refused: 0 };
const empty = {
  all: none,
  countries: [],
  systems: [],
  unknown_country: none,
  other_systems: none,
  unknown_system: none,
};

test("with a mark in every country the page weighs less than 120 kB, without inline style", () => {
  const counts = { ok: 123_456_789, refused: 123_456_789 };
  const countries = Object.keys(worldCentres).map((country) => ({ country, ...counts }));
  const systems = Array.from({ length: 128 }, (_, index) => ({
    system: 4_000_000_000 + index,
    owner: "x".repeat(36),
    ...counts,
  }));
  const body = bodyOf({ countries, systems });
  expect(Buffer.byteLength(body)).toBeLessThan(120_000);
  expect(body).not.toMatch(/ style=|NaN|Infinity|undefined/u);
  expect(body.match(/<circle/gu)?.length).toBeGreaterThanOrEqual(countries.length);
});

test("the sentence names the first country and the first network owner of what is shown", () => {
  expect(bodyOf()).toContain(
    "Of the refusals, 43\u00A0% come from Nigeria and 34\u00A0% come from University of Example (AS64504).",
  );
  expect(bodyOf({}, "ok")).toContain(
    "Of the successful sign-ins, 98\u00A0% come from Germany and 65\u00A0% come from Example Cable (AS64500).",
  );
});

test("the tables have the largest, and the rest in one row", () => {
  const body = bodyOf();
  expect(body).toContain('<th scope="row">Other countries</th>');
  expect(body).toContain('<th scope="row">Other network owners</th>');
  const refused = [...body.matchAll(/<\/th><td class="number">([\d,]+)<\/td>/gu)].map(([, count = ""]) =>
    Number(count.replaceAll(",", "")),
  );
  const total = sampleOrigins.systems.reduce((sum, { refused: of }) => sum + of, 0) + 411 + 31;
  expect(refused.slice(-17).reduce((sum, count) => sum + count, 0)).toBe(total);
});

test("without files, engines or sign-ins the page says so, and without one of the files what is missing", () => {
  expect(bodyOf({ ...empty, places: "off" })).toContain("neither auth.risk.city_file nor auth.risk.system_file");
  expect(bodyOf({ ...empty, places: "unavailable" })).toContain("no engine answered");
  expect(bodyOf(empty)).toContain("No sign-ins in this time.");
  expect(bodyOf({ countries: [], unknown_country: sampleOrigins.all })).toContain("No country is known.");
  expect(bodyOf({ systems: [], other_systems: none })).toContain("No network owner is known.");
});

test("links change one thing and keep the other", () => {
  const body = bodyOf({}, "ok");
  for (const range of originRangeNames) expect(body).toContain(`/console/origins?range=${range}&amp;show=ok`);
  expect(body).toContain("/console/origins?range=24h&amp;show=refused");
});

test("a circle's area is the count, and the smallest is visible", () => {
  expect(radiusOf(100, 100)).toBe(42);
  expect(radiusOf(25, 100)).toBe(21);
  expect(radiusOf(1, 1_000_000)).toBe(3);
});
