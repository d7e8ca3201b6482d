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
