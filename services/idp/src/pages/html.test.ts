import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeHtml, html, htmlText } from "./html.ts";

test("no text gets out of a quoted attribute or makes a tag", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const page = htmlText(html`<a title="${text}">${text}</a>`);
      expect(page.match(/[<>"']/g)).toEqual(["<", '"', '"', ">", "<", ">"]);
    }),
  );
});

test("markup is put in as it is, lists too; false and undefined print nothing", () => {
  const part = html`<b>${"&"}</b>`;
  expect(htmlText(html`${part}${[part, part]}${undefined}${false}${7}`)).toBe(`${"<b>&amp;</b>".repeat(3)}7`);
});

test("escaping twice differs from once: nothing is left out", () => {
  expect(escapeHtml(escapeHtml("<"))).toBe("&amp;lt;");
});
