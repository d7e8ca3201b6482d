import { decode } from "cborg";
import type { CborRefusal } from "../cbor-error.ts";

/** What our decoder rejects and the oracle accepts: our limits, and what JSON cannot express. */
const houseRules: ReadonlySet<CborRefusal> = new Set<CborRefusal>([
  "too-large",
  "too-deep",
  "too-many-elements",
  "too-many-pairs",
  "key-not-text",
  "not-utf8",
  "simple-value",
  "integer-range",
]);

export type Verdict = { readonly taken: unknown } | { readonly refused: string };

/** The result of another decoder for the same bytes. */
export function askOracle(bytes: Uint8Array): Verdict {
  try {
    const taken: unknown = decode(bytes, {
      useMaps: true,
      strict: false,
      allowIndefinite: false,
      allowNaN: false,
      allowInfinity: false,
      allowUndefined: false,
      rejectDuplicateMapKeys: true,
    });
    return { taken };
  } catch (error) {
    return { refused: String(error) };
  }
}

/** Whether the oracle must also reject bytes that we rejected for this reason. */
export function isCommonRule(reason: CborRefusal): boolean {
  return !houseRules.has(reason);
}
