import type { Config } from "@postern/shared/platform/config";
import type { FactorMethod } from "../flow/flow-record.ts";

/** The level that a site assigns to each factor (`identity.mfa_policy.levels`). */
export type FactorLevels = Readonly<Record<FactorMethod, number>>;

/** Records from before levels were configurable have these: what can be read off a screen counts less than a key. */
export const defaultLevels: FactorLevels = Object.freeze({ recovery: 1, totp: 2, webauthn: 3 });

/** The spelling in the configuration. */
const names: Readonly<Record<string, FactorMethod>> = {
  totp: "totp",
  webauthn: "webauthn",
  recovery: "recovery",
  recovery_codes: "recovery",
};

export function methodNamed(name: string): FactorMethod | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

type ConfiguredLevels = Config["identity"]["mfa_policy"]["levels"];

/** The site's levels, replaced by those that an application sets (0: not set). */
export function levelsOf(general: ConfiguredLevels, own: ConfiguredLevels): FactorLevels {
  const levelOf = (name: keyof ConfiguredLevels): number => (own[name] > 0 ? own[name] : general[name]);
  return { recovery: levelOf("recovery_codes"), totp: levelOf("totp"), webauthn: levelOf("webauthn") };
}

/** The number of a level that is given as a number or as the factor that has it; 0 for none. */
export function levelNumber(text: string | undefined, levels: FactorLevels): number {
  if (text === undefined || text === "") return 0;
  const method = methodNamed(text);
  if (method !== undefined) return levels[method];
  const level = Number(text);
  return Number.isInteger(level) && level > 0 ? level : 0;
}

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
