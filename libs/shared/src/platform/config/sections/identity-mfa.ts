import { messages } from "../messages.ts";
import type { Judgement } from "./checks.ts";
import { choice, duration, flag, integer, liveSection, section, text, texts } from "./fields.ts";
import { longestSession } from "./identity-frontend.ts";
import type { Config, OidcClientConfig } from "./root.ts";

const levelOf = (factor: string, value: number) => integer(value, `Level of ${factor}.`, { minimum: 1, maximum: 100 });

export const IdentityMfaPolicy = liveSection("Levels of second factors, for applications that require one.", {
  levels: section("Level of each factor. A higher level is a stronger proof.", {
    recovery_codes: levelOf("recovery codes", 1),
    totp: levelOf("authenticator app codes", 2),
    webauthn: levelOf("passkeys and security keys", 3),
  }),
  freshness: duration(
    "10m",
    "Time for which a used second factor satisfies applications that require one. 0 accepts it for the whole session.",
    { maximum: longestSession },
  ),
});

const ownLevelOf = (factor: string) =>
  integer(0, `Level of ${factor} for this application. 0 uses the general level.`, { maximum: 100 });

const ApplicationMfaPolicy = section("Levels of second factors for this application.", {
  levels: section("Level of each factor.", {
    recovery_codes: ownLevelOf("recovery codes"),
    totp: ownLevelOf("authenticator app codes"),
    webauthn: ownLevelOf("passkeys and security keys"),
  }),
});

/** Who may sign in to an application, and how. */
export const usersOf = (application: "client" | "service provider") => ({
  require_mfa: texts(
    `Second factors that users of this ${application} must have set up: \`totp\`, \`webauthn\`, \`recovery_codes\`.`,
  ),
  supported_mfa: texts(`Second factors that this ${application} accepts. If empty, it accepts all.`),
  required_mfa_level: text("Level that a sign-in must reach, as a number or the name of a second factor."),
  mfa_policy: ApplicationMfaPolicy,
  delayed_response: flag(
    "Whether a wrong password is reported only after the second factor, for accounts that have one.",
  ),
  domains: texts(
    "Domains whose users may use it: names or aliases of domains, such as example.org. If empty, those of all. A name that is typed without a domain gets this one, if there is exactly one.",
  ),
});

export const IdentityMfa = section("Second factors.", {
  lost_phone: section("Codes for users who lost their second factor.", {
    enabled: flag(
      "Whether operators may create a code that takes the place of the second factor in one sign-in within an hour. Requires identity.notices with the event `lost_phone_code`, so that the user always learns of it.",
    ),
  }),
  remembered_devices: section("Devices on which users are not asked for the second factor.", {
    lifetime: duration(
      "0s",
      "Time for which a user who wishes so is not asked for the second factor on a device. 0: not offered, and no device is remembered. Applications that demand a second factor, and changes of the account, always ask.",
      { maximum: longestSession },
    ),
  }),
  totp: section("Authenticator app codes (TOTP).", {
    issuer: text("Name that authenticator apps show. If empty, identity.frontend.branding.name is used.", {
      maxLength: 60,
    }),
    skew: integer(1, "Number of 30 s time steps before and after the current one whose codes are accepted.", {
      maximum: 5,
    }),
    max_attempts: integer(
      10,
      "Number of attempts at one second factor of an account, after the correct password, within ten minutes. Further attempts must wait.",
      { minimum: 3, maximum: 100 },
    ),
    max_failures: integer(
      100,
      "Number of consecutive wrong codes, after the correct password, at which the second factor is locked until an operator unlocks it. Recovery codes are counted separately.",
      { minimum: 10, maximum: 100 },
    ),
  }),
  webauthn: section("Passkeys and security keys. User verification is always required.", {
    rp_id: text(
      "Domain of the passkeys. If empty, the host of identity.oidc.issuer is used. Changing it makes all existing passkeys unusable.",
      { maxLength: 253 },
    ),
    rp_display_name: text("Name that browsers show. If empty, identity.frontend.branding.name is used.", {
      maxLength: 60,
    }),
    rp_origins: texts("Origins on which passkeys are accepted. If empty, the origin of identity.oidc.issuer is used."),
    resident_key: choice(
      ["required", "preferred", "discouraged"],
      "Request that new passkeys support sign-in without a user name.",
      { default: "preferred" },
    ),
    authenticator_attachment: choice(
      ["", "platform", "cross-platform"],
      "Authenticators that may be registered: built into the device (`platform`) or separate (`cross-platform`). If empty, both.",
    ),
  }),
});

/** A takeover by telephone must not go unnoticed. */
export function validateLostPhone({ identity }: Config, { problem }: Judgement): void {
  const { mfa, notices } = identity;
  if (!mfa.lost_phone.enabled) return;
  const why = "identity.mfa.lost_phone.enabled is true";
  if (!notices.enabled) problem("identity.notices.enabled", messages.needsWhen(why));
  else if (notices.mail.server === "" && notices.webhook.url === "")
    problem("identity.notices.mail.server", messages.needsWhen(why));
  for (const event of ["lost_phone_code", "lost_phone_code_used"] as const) {
    if (!notices.events.includes(event)) problem("identity.notices.events", messages.needsEvent(event, why));
  }
}

const factors = ["totp", "webauthn", "recovery_codes"] as const;
type Factor = (typeof factors)[number];
type Levels = Config["identity"]["mfa_policy"]["levels"];

type Demanding = Pick<OidcClientConfig, "require_mfa" | "supported_mfa" | "required_mfa_level" | "mfa_policy">;

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
