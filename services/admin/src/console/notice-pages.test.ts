import { expect, test } from "vitest";
import { englishText } from "../texts/write-texts.ts";
import { noticePage } from "./notice-pages.ts";

test("a refused action shows why, as text", () => {
  const { body, status } = noticePage("failed", { reason: "<b>operators</b> cannot get a code" });
  const shown = englishText(body);
  expect(status).toBe(400);
  expect(shown).toContain('The request was rejected: <span lang="en" dir="ltr">&lt;b');
  expect(shown).not.toContain("nothing to change");
});
