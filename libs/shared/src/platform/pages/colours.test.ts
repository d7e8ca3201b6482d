import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contrast, darkPalette, leastContrast, lightPalette, withAccent } from "./colours.ts";

test("contrast is computed as WCAG defines it", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 1);
});

describe.each([
  ["light", lightPalette],
  ["dark", darkPalette],
])("%s", (_name, palette) => {
  test.each([
    ["text", palette.text, palette.card],
    ["muted text", palette.muted, palette.card],
    ["text on the page", palette.muted, palette.page],
    ["links", palette.link, palette.card],
    ["links on a soft background", palette.link, palette.soft],
    ["muted text on a soft background", palette.muted, palette.soft],
    ["text of a button", palette.onAccent, palette.accent],
    ["an error", palette.text, palette.errorSoft],
  ])("%s has enough contrast to be read (WCAG 2.2, 1.4.3)", (_what, one, other) => {
    expect(contrast(one, other)).toBeGreaterThanOrEqual(leastContrast.text);
  });

  test.each([
    ["a field's border", palette.control, palette.card],
    ["the focus ring", palette.link, palette.card],
    ["an invalid field", palette.error, palette.card],
    ["a button", palette.accent, palette.card],
  ])("%s has enough contrast to be seen (WCAG 2.2, 1.4.11)", (_what, one, other) => {
    expect(contrast(one, other)).toBeGreaterThanOrEqual(leastContrast.control);
  });

  test("buttons and links are readable with any colour of the site", () => {
    const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);
    fc.assert(
      fc.property(colour, (accent) => {
        const { onAccent, link, card } = withAccent(palette, accent);
        expect(contrast(onAccent, accent)).toBeGreaterThanOrEqual(leastContrast.text);
        expect(contrast(link, card)).toBeGreaterThanOrEqual(leastContrast.text);
      }),
    );
  });
});
