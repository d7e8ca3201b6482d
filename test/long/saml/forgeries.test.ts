import { describe, expect, it } from "vitest";
import { authnRequest, enveloped, logoutRequest, redirected } from "../../../services/idp/src/saml/testing/forge.ts";
import { outcomeOf } from "../../../services/idp/src/saml/testing/outcome.ts";
import { forgeryOf } from "../../../services/idp/src/saml/testing/tricks.ts";

const tries = 100_000;
const firstSeed = 1_000_000;

describe("messages of service providers", () => {
  it(`accepts no forgery in ${tries} tries`, { timeout: 1_800_000 }, () => {
    const honest = new Set([
      outcomeOf({ binding: "post", message: enveloped(logoutRequest()) }),
      outcomeOf({ binding: "post", message: enveloped(authnRequest()) }),
      outcomeOf({ binding: "redirect", message: redirected(logoutRequest()) }),
    ]);
    const accepted: { seed: number; outcome: string }[] = [];
    for (let seed = firstSeed; seed < firstSeed + tries; seed += 1) {
      const outcome = outcomeOf(forgeryOf(seed));
      if (outcome.startsWith("accepted") && !honest.has(outcome)) accepted.push({ seed, outcome });
    }
    expect(accepted).toEqual([]);
  });
});
