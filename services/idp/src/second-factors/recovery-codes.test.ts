import { expect, test } from "vitest";
import { newRecoveryCodes } from "../account/self-service.ts";

test("creates ten different codes without characters that are easily confused", () => {
  const sets = Array.from({ length: 50 }, newRecoveryCodes);
  for (const codes of sets) {
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[A-HJKMNP-Z2-9]{4}-[A-HJKMNP-Z2-9]{4}$/u);
  }
  expect(new Set(sets.flat()).size).toBe(500);
  // Each of the 31 permitted characters occurs, because 4,000 were drawn.
  expect(new Set(sets.flat().join("").replaceAll("-", "")).size).toBe(31);
});
