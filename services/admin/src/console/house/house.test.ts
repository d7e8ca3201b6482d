import { consolePages } from "@postern/shared/contracts";
import { contrast, darkPalette, html, leastContrast, lightPalette } from "@postern/shared/platform/pages";
import { expect, test } from "vitest";
import { englishText } from "../../texts/write-texts.ts";
import { badge, moodOf, stateBadge } from "./badge.ts";
import { card } from "./card.ts";
import { iconOfPage } from "./console-icons.ts";
import { houseStyle } from "./house-style.ts";
import { table } from "./table.ts";

test("a badge has an icon, a word and a colour; a state that is not known is neither good nor bad", () => {
  expect(englishText(badge("bad", html`${"<b>"}`))).toMatch(
    /^<span class="badge bad"><svg .*<\/svg>&lt;b&gt;<\/span>$/u,
  );
  expect([moodOf("up"), moodOf("denied"), moodOf("moon phase")]).toEqual(["good", "bad", "plain"]);
  expect(englishText(stateBadge("ok"))).toContain('class="badge good"');
});

test("the colour of a warning is legible in light and in dark", () => {
  const [, light = "", dark = ""] = /--warn:light-dark\((#\w+),(#\w+)\)/u.exec(houseStyle) ?? [];
  expect(contrast(light, lightPalette.card)).toBeGreaterThan(leastContrast.text);
  expect(contrast(dark, darkPalette.card)).toBeGreaterThan(leastContrast.text);
});

test("a card has its number, unless nothing is known", () => {
  const body = html`<p>one</p>`;
  expect(englishText(card({ title: html`Sessions`, count: 0, body }))).toContain(
    '<h2>Sessions</h2><span class="count">0</span>',
  );
  expect(englishText(card({ title: html`Sessions`, body }))).not.toContain("count");
  expect(englishText(card({ title: html`Sessions`, body, isOpen: true }))).toContain('<details class="card" open>');
});

test("a table names its columns in each cell, says how it is sorted, and has what a row opens below it", () => {
  const text = englishText(
    table({
      label: html`Bans`,
      rows: ["a", "b"],
      columns: [
        { name: html`Network`, cell: (row) => row },
        {
          name: html`End`,
          isNumber: true,
          cell: () => 7,
          sort: { order: "descending", href: "/console/bans?order=asc", hint: html`Sort by end` },
        },
      ],
      below: (row) => (row === "a" ? html`<p>more</p>` : undefined),
    }),
  );
  expect(text).toContain('<th scope="col" class="number" aria-sort="descending"><a href="/console/bans?order=asc"');
  expect(text).toContain(
    '<td data-column="Network"><div>a</div></td><td data-column="End" class="number"><div>7</div></td>',
  );
  expect(text.match(/<td colspan="2"><p>more<\/p><\/td>/gu)).toHaveLength(1);
});

test("every page of the navigation has an icon", () => {
  for (const id of [
    "overview",
    "search",
    "account",
    "bans",
    "domains",
    "clients",
    "system",
    "configuration",
    "audit",
    "api",
  ] as const) {
    expect([consolePages[id].title, englishText(iconOfPage(id))]).toEqual([
      expect.any(String),
      expect.stringContaining("<svg"),
    ]);
  }
});
