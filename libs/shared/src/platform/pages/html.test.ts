import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeHtml, html, htmlText } from "./html.ts";

test("no text can end a quoted attribute or create a tag", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const page = htmlText(html`<a title="${text}">${text}</a>`);
      expect(page.match(/[<>"']/g)).toEqual(["<", '"', '"', ">", "<", ">"]);
    }),
  );
});

test("markup and lists of markup are inserted unchanged; false and undefined print nothing", () => {
  const part = html`<b>${"&"}</b>`;
  expect(htmlText(html`${part}${[part, part]}${undefined}${false}${7}`)).toBe(`${"<b>&amp;</b>".repeat(3)}7`);
});

test("text that is already escaped is escaped again", () => {
  expect(escapeHtml(escapeHtml("<"))).toBe("&amp;lt;");
});
