import { expect, test } from "vitest";
import { writtenTag } from "./accept-language.ts";

test("Chinese is declared as simplified Chinese, and Portuguese as that of Portugal; other tags are unchanged", () => {
  expect(["en", "zh", "pt", "ar"].map(writtenTag)).toEqual(["en", "zh-Hans", "pt-PT", "ar"]);
});

test("times and countries are in European Portuguese", () => {
  const tag = writtenTag("pt");
  expect(new Intl.RelativeTimeFormat(tag).format(9, "minute")).toBe("dentro de 9 minutos");
  expect(new Intl.DisplayNames(tag, { type: "region" }).of("PL")).toBe("Polónia");
});
