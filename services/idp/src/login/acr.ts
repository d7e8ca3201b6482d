import type { FactorMethod } from "../flow/flow-record.ts";
import type { FactorLevels } from "./factor-levels.ts";

/**
 * The `acr` values for what a user has proved, the strongest last; a site's levels weigh them. `phr` is the
 * phishing-resistant value of OpenID EAP ACR Values.
 */
const classes = ["pwd", "recovery", "mfa", "phr"] as const;
const methods: readonly FactorMethod[] = ["recovery", "totp", "webauthn"];

/** Rank of a factor among those that `acr_values` can request; 0 is a password alone. */
export function rankOfMethod(method: FactorMethod | undefined): number {
  return method === undefined ? 0 : methods.indexOf(method) + 1;
}

/** Undefined for an unknown value. */
export function rankOfAcr(acr: string | undefined): number | undefined {
  const rank = classes.findIndex((value) => value === acr);
  return rank < 0 ? undefined : rank;
}

export function acrOfRank(rank: number): string {
  return classes[Math.min(rank, classes.length - 1)] ?? "pwd";
}

/** The lowest rank that one of these values requests; undefined if none is known. */
export function wantedRank(values: readonly string[]): number | undefined {
  const ranks = values.map((value) => rankOfAcr(value)).filter((rank) => rank !== undefined);
  return ranks.length === 0 ? undefined : Math.min(...ranks);
}

/** The level of a sign-in with this `acr`. */
export function levelOfAcr(acr: string | undefined, levels: FactorLevels): number {
  const method = methods[(rankOfAcr(acr) ?? 0) - 1];
  return method === undefined ? 0 : levels[method];
}
