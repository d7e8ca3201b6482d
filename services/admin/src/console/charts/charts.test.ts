import { contrast, darkPalette, html, leastContrast, lightPalette } from "@postern/shared/platform/pages";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { englishText } from "../../texts/write-texts.ts";
import { type Chart, chartFigure } from "./chart.ts";
import { darkChartColours, lightChartColours } from "./chart-style.ts";
import { linearTicks, logTicks, stepText, tickText, timeTicks } from "./scales.ts";

const minuteMs = 60_000;

test("linear ticks begin at zero, are evenly spaced, enclose the highest value and are few", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), (highest) => {
      const ticks = linearTicks(highest);
      const [first, second = 0, last] = [ticks[0], ticks[1], ticks.at(-1) ?? 0];
      expect(first).toBe(0);
      expect(last).toBeGreaterThanOrEqual(highest * (1 - 1e-6));
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(Number.isInteger(second)).toBe(true);
      for (const [index, tick] of ticks.entries()) expect(tick).toBeCloseTo(index * second, 6);
    }),
  );
  expect(linearTicks(0.0023, 4, 1e-6)).toEqual([0, 0.001, 0.002, 0.003]);
  expect(linearTicks(0)).toEqual([0, 1]);
});

test("logarithmic ticks are the powers of ten around the values", () => {
  expect(logTicks(0.4, 1000)).toEqual([0.1, 1, 10, 100, 1000]);
  expect(logTicks(1, 1)).toEqual([1, 10]);
});

test("ticks of time are multiples of a step that people count in", () => {
  const from = Date.parse("2030-05-06T12:55:00.000Z");
  expect(timeTicks(from, from + 60 * minuteMs).map((tick) => englishText(tickText(tick, 60 * minuteMs)))).toEqual([
    "13:00",
    "13:10",
    "13:20",
    "13:30",
    "13:40",
    "13:50",
  ]);
  const week = 7 * 1440 * minuteMs;
  expect(timeTicks(from, from + week).map((tick) => englishText(tickText(tick, week)))).toEqual([
    "Tue 7",
    "Wed 8",
    "Thu 9",
    "Fri 10",
    "Sat 11",
    "Sun 12",
    "Mon 13",
  ]);
  expect(englishText(stepText(from, week))).toBe("Mon 6, 12:55");
});

const chartWith = (values: readonly (number | undefined)[], more: Partial<Chart> = {}): Chart => ({
  title: html`Sign-ins`,
  description: html`A description.`,
  times: values.map((_, index) => 1_900_000_000_000 + index * minuteMs),
  stepMs: minuteMs,
  series: [
    { name: html`One`, colour: "ok", shape: "bars", values },
    { name: html`Other`, colour: "wrong", shape: "bars", values },
    { name: html`Line`, colour: "before", shape: "line", values },
  ],
  ticks: linearTicks(2 * Math.max(0, ...values.filter((value) => value !== undefined))),
  tickText: (value) => html`${value}`,
  valueText: (value) => html`${value}`,
  joined: (of) => of.reduce((sum, value) => sum + value, 0),
  ...more,
});

const values = fc.array(fc.option(fc.nat({ max: 1e9 }), { nil: undefined }), { minLength: 1, maxLength: 90 });

test("every mark is inside its frame, whatever the values", () => {
  fc.assert(
    fc.property(values, fc.boolean(), (of, isLogarithmic) => {
      const ticks = isLogarithmic ? { ticks: [0.1, 1, 10], isLogarithmic } : {};
      const body = englishText(chartFigure(chartWith(of, ticks)));
      expect(body).not.toMatch(/NaN|Infinity|undefined|style=/u);
      for (const [, path = ""] of body.matchAll(/<path class="(?:mark|line)[^"]*" d="(M[^"]+)"/gu)) {
        if (path === "M0 7H14") continue;
        for (const [, left, top] of path.matchAll(/M([\d.-]+) ([\d.-]+)/gu)) {
          expect(Number(left)).toBeGreaterThanOrEqual(0);
          expect(Number(left)).toBeLessThanOrEqual(1000);
          expect(Number(top)).toBeGreaterThanOrEqual(0);
          expect(Number(top)).toBeLessThanOrEqual(140);
        }
        for (const [, top] of path.matchAll(/V([\d.-]+)/gu)) {
          expect(Number(top)).toBeGreaterThanOrEqual(0);
          expect(Number(top)).toBeLessThanOrEqual(140);
        }
      }
    }),
  );
});

test("the table has the whole sum in at most twelve rows", () => {
  fc.assert(
    fc.property(values, (of) => {
      const body = englishText(chartFigure(chartWith(of)));
      const [, rows = ""] = body.split("<tbody>");
      const cells = [...rows.matchAll(/<\/th><td>([^<]*)<\/td>/gu)].map(([, text = ""]) => text);
      expect(cells.length).toBeLessThanOrEqual(12);
      const sum = cells.reduce((total, text) => total + (text === "–" ? 0 : Number(text)), 0);
      expect(sum).toBe(of.reduce<number>((total, value) => total + (value ?? 0), 0));
    }),
  );
});

test("a chart without values says so", () => {
  expect(englishText(chartFigure(chartWith([0, undefined, 0])))).toContain("None in this time.");
});

test("hostile names add no tag", () => {
  const chart = chartWith([1]);
  const named = {
    ...chart,
    title: html`${"<script>"}`,
    series: chart.series.map((one) => ({ ...one, name: html`${'"><img src=x>'}` })),
  };
  expect(englishText(chartFigure(named))).not.toMatch(/<script|<img/u);
});

describe.each([
  ["light", lightChartColours, lightPalette],
  ["dark", darkChartColours, darkPalette],
])("%s", (_name, colours, palette) => {
  test.each(Object.entries(colours))("%s is seen on the page (WCAG 2.2, 1.4.11)", (_colour, value) => {
    expect(contrast(value, palette.card)).toBeGreaterThanOrEqual(leastContrast.control);
  });
});
