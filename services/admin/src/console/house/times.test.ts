import { htmlText } from "@postern/shared/platform/pages";
import fc from "fast-check";
import { expect, test } from "vitest";
import { englishLanguage } from "../../texts/console-languages.ts";
import { sentenceHtml } from "../../texts/messages.ts";
import { exactTime, time } from "../shown-values.ts";
import { exactText, isZone, relativeText, serverZone, writePage, writeTimes, zones } from "./times.ts";

const nowMs = Date.parse("2030-05-06T14:00:00.000Z");
const berlin = { language: englishLanguage, zone: "Europe/Berlin", nowMs };
const shown = (iso: string, look = berlin): string => writeTimes(htmlText(time(iso)), look);

test.each([
  ["2030-05-06T13:59:30Z", "just now"],
  ["2030-05-06T13:57:00Z", "3 min ago"],
  ["2030-05-06T12:00:00Z", "2 h ago"],
  ["2030-05-05T12:00:00Z", "26 h ago"],
  ["2030-05-03T12:00:00Z", "3 days ago"],
  ["2030-05-06T14:00:30Z", "in less than 1 min"],
  ["2030-05-06T14:05:00Z", "in 5 min"],
  ["2030-05-06T14:59:30Z", "in 1 h"],
  ["2030-05-06T17:10:00Z", "in 4 h"],
  ["2030-05-09T13:00:00Z", "in 3 days"],
  ["2030-04-01T12:00:00Z", undefined],
  ["2030-06-01T12:00:00Z", undefined],
])("%s is %s", (iso, text) => {
  expect(relativeText(Date.parse(iso), nowMs)).toBe(text);
});

test("a near time is relative, with the exact time in the operator's zone and in UTC", () => {
  expect(shown("2030-05-06T13:57:00.000Z")).toBe(
    '<time datetime="2030-05-06T13:57:00.000Z" title="2030-05-06 15:57:00 CEST, 2030-05-06 13:57:00 UTC">3 min ago</time>',
  );
  expect(shown("2030-05-06T13:57:00.000Z", { ...berlin, zone: "UTC" })).toContain(
    'title="2030-05-06 13:57:00 UTC">3 min ago',
  );
});

test("a far time, and one that is to be exact, is a date in the operator's zone", () => {
  expect(shown("2029-12-24T12:00:05.000Z")).toContain(">2029-12-24 13:00 CET</time>");
  const exact = writeTimes(htmlText(exactTime("2030-05-06T13:57:08.000Z")), berlin);
  expect(exact).toBe(
    '<time class="exact" datetime="2030-05-06T13:57:08.000Z" title="2 min ago, 2030-05-06 13:57:08 UTC">2030-05-06 15:57:08 CEST</time>',
  );
});

const sentence = (until: string): string =>
  writePage(sentenceHtml([{ code: "verdict.also_banned", values: { network: "n", until } }], ""), berlin);

test("a time of a sentence is in the operator's zone, of today unless it has a date", () => {
  expect(sentence("14:05 UTC")).toContain(
    'until <time datetime="2030-05-06T14:05:00.000Z" title="14:05 UTC">16:05 CEST</time>.',
  );
  expect(sentence("2029-12-24 23:30 UTC")).toContain(
    '<time datetime="2029-12-24T23:30:00.000Z" title="2029-12-24 23:30 UTC">2029-12-25 00:30 CET</time>',
  );
  expect(sentence("<b>")).not.toContain("<time");
});

test("every zone that can be chosen can be shown, and the server's is one", () => {
  for (const zone of zones)
    expect([zone, exactText(nowMs, zone)]).toEqual([zone, expect.stringMatching(/^2030-05-0[67] /u)]);
  expect([isZone("Europe/Berlin"), isZone("europe/../etc"), isZone("")]).toEqual([true, false, false]);
  expect(exactText(nowMs, serverZone)).toMatch(/^2030/u);
});

test("what is no time stays text, and adds no tag", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const written = shown(text);
      expect(written.match(/<\/?[a-z]+/giu)).toEqual(["<time", "</time"]);
    }),
  );
});
