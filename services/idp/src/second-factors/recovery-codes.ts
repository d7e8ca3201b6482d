import { randomInt } from "node:crypto";

/** Without 0, 1, I, L and O, which are easily confused. */
const letters = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const codeCount = 10;

function part(): string {
  return Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join("");
}

/** Creates ten codes `XXXX-XXXX` of 39 bits each. */
export function newRecoveryCodes(): readonly string[] {
  const codes = new Set<string>();
  while (codes.size < codeCount) codes.add(`${part()}-${part()}`);
  return [...codes];
}
