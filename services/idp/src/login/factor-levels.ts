import type { FactorMethod } from "../flow/flow-record.ts";

/** How much a factor proves (`identity.mfa_policy.levels`): what can be read off a screen proves less than a key. */
export const factorLevels: Readonly<Record<FactorMethod, number>> = Object.freeze({
  recovery: 1,
  totp: 2,
  webauthn: 3,
});

/** As configurations spell them. */
const names: Readonly<Record<string, FactorMethod>> = {
  totp: "totp",
  webauthn: "webauthn",
  recovery: "recovery",
  recovery_codes: "recovery",
};

export function methodNamed(name: string): FactorMethod | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

/** A level as a number, or as the factor that has it; 0 for none. */
export function levelNumber(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  const method = methodNamed(text);
  if (method !== undefined) return factorLevels[method];
  const level = Number(text);
  return Number.isInteger(level) && level > 0 ? level : 0;
}

/** `acr` of a sign-in, by its level; `phr` is that of OpenID EAP ACR Values, phishing-resistant. */
const acrByLevel = ["pwd", "recovery", "mfa", "phr"] as const;

export function acrOfLevel(level: number): string {
  return acrByLevel[Math.min(level, acrByLevel.length - 1)] ?? "pwd";
}

/** Undefined for a value that is none of ours. */
export function levelOfAcr(acr: string | undefined): number | undefined {
  const level = acrByLevel.findIndex((value) => value === acr);
  return level < 0 ? undefined : level;
}

/** The least level that one of these values asks for; undefined when none is ours. */
export function wantedLevel(values: readonly string[]): number | undefined {
  const levels = values.map((value) => levelOfAcr(value)).filter((level) => level !== undefined);
  return levels.length === 0 ? undefined : Math.min(...levels);
}
