import { expect, test } from "vitest";
import { newRecoveryCodes } from "./recovery-codes.ts";

test("ten different codes without characters that are mistaken for each other", () => {
  const sets = Array.from({ length: 50 }, newRecoveryCodes);
  for (const codes of sets) {
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[A-HJKMNP-Z2-9]{4}-[A-HJKMNP-Z2-9]{4}$/u);
  }
  expect(new Set(sets.flat()).size).toBe(500);
  // Every permitted character occurs: 4,000 were drawn of 31.
  expect(new Set(sets.flat().join("").replaceAll("-", "")).size).toBe(31);
});
