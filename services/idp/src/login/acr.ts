import type { FactorMethod } from "../flow/flow-record.ts";
import type { FactorLevels } from "./factor-levels.ts";

/**
 * `acr` says what was shown, the strongest last; what a site makes of it are its levels. `phr` is that of OpenID EAP
 * ACR Values, phishing-resistant.
 */
const classes = ["pwd", "recovery", "mfa", "phr"] as const;
const methods: readonly FactorMethod[] = ["recovery", "totp", "webauthn"];

/** The place of a factor among those that `acr_values` can ask for; 0 is a password alone. */
export function rankOfMethod(method: FactorMethod | undefined): number {
  return method === undefined ? 0 : methods.indexOf(method) + 1;
}

/** Undefined for a value that is none of ours. */
export function rankOfAcr(acr: string | undefined): number | undefined {
  const rank = classes.findIndex((value) => value === acr);
  return rank < 0 ? undefined : rank;
}

export function acrOfRank(rank: number): string {
  return classes[Math.min(rank, classes.length - 1)] ?? "pwd";
}

/** The least that one of these values asks for; undefined when none is ours. */
export function wantedRank(values: readonly string[]): number | undefined {
  const ranks = values.map((value) => rankOfAcr(value)).filter((rank) => rank !== undefined);
  return ranks.length === 0 ? undefined : Math.min(...ranks);
}

/** What a sign-in of this `acr` is worth. */
export function levelOfAcr(acr: string | undefined, levels: FactorLevels): number {
  const method = methods[(rankOfAcr(acr) ?? 0) - 1];
  return method === undefined ? 0 : levels[method];
}
