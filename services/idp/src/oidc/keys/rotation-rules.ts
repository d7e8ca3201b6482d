import { type OidcSettings, offeredSignatures } from "../settings/oidc-settings.ts";
import { kindsFor, type RotationRules } from "./signing-keys.ts";

function longestTokenMs({ oidc }: OidcSettings): number {
  const lives = oidc.clients.map(({ access_token_lifetime: life }) => life);
  const { mail_registration: mail } = oidc;
  if (mail.enabled) lives.push(mail.access_token_lifetime);
  return Math.max(oidc.tokens.default_access_token_lifetime, ...lives);
}

export function rotationRules(settings: OidcSettings): RotationRules {
  const { oidc } = settings;
  return {
    kinds: kindsFor(offeredSignatures(settings)),
    isRotated: oidc.auto_key_rotation,
    intervalMs: oidc.key_rotation_interval,
    publishMs: oidc.key_publish_delay,
    maxAgeMs: oidc.key_max_age,
    longestTokenMs: longestTokenMs(settings),
  };
}
