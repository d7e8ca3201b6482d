import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const factors = ["totp", "webauthn", "recovery_codes"] as const;
type Factor = (typeof factors)[number];
type Levels = Config["identity"]["mfa_policy"]["levels"];

interface Demanding {
  readonly require_mfa: readonly string[];
  readonly supported_mfa: readonly string[];
  readonly required_mfa_level: string;
  readonly mfa_policy: { readonly levels: Levels };
}

/** `recovery` is read too, as older configurations have it. */
function factorNamed(name: string): Factor | undefined {
  return name === "recovery" ? "recovery_codes" : factors.find((factor) => factor === name);
}

/** An invalid requirement would have no effect, and an unreachable one would lock out all users. */
function validateDemands(config: Demanding, general: Levels, path: string, { problem }: Judgement): void {
  for (const name of ["require_mfa", "supported_mfa"] as const) {
    if (config[name].some((factor) => factorNamed(factor) === undefined))
      problem(`${path}.${name}`, messages.noSuchFactor);
  }
  const { required_mfa_level: text, supported_mfa: supported, mfa_policy } = config;
  if (text === "") return;
  const levelOf = (factor: Factor): number =>
    mfa_policy.levels[factor] > 0 ? mfa_policy.levels[factor] : general[factor];
  const named = factorNamed(text);
  const level = named === undefined ? Number(text) : levelOf(named);
  if (level === 0) return;
  // Recovery codes replace another factor and cannot be set up alone.
  const reach = factors
    .filter((factor) => factor !== "recovery_codes")
    .filter((factor) => supported.length === 0 || supported.includes(factor));
  const isReachable = Number.isInteger(level) && level >= 0 && reach.some((factor) => levelOf(factor) >= level);
  if (!isReachable) problem(`${path}.required_mfa_level`, messages.levelUnreachable);
}

/** Checks the second factors that clients and service providers require. */
export function validateMfaDemands({ identity }: Config, judgement: Judgement): void {
  const { oidc, saml, mfa_policy } = identity;
  oidc.clients.forEach((client, index) =>
    validateDemands(client, mfa_policy.levels, `identity.oidc.clients[${index}]`, judgement),
  );
  const nothing = { supported_mfa: [], required_mfa_level: "", mfa_policy: { levels: mfa_policy.levels } };
  validateDemands(
    { ...nothing, ...oidc.mail_registration },
    mfa_policy.levels,
    "identity.oidc.mail_registration",
    judgement,
  );
  saml.service_providers.forEach((provider, index) =>
    validateDemands(provider, mfa_policy.levels, `identity.saml.service_providers[${index}]`, judgement),
  );
}
