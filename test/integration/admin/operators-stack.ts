import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { type ServiceName } from "../../support/service-process.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { createTokenIssuer, type TokenIssuer } from "../../support/token-issuer.ts";

export interface OperatorsStack extends Stack {
  readonly issuer: TokenIssuer;
}

const rule = { period: "10m", ban_time: "1h", failed_requests: 3, ipv4: true };

/** The hash of `operatorPassword`. */
const hash = "$argon2id$v=19$m=64,t=1,p=1$NqAU9gpIOrJkNAAg1eKaTg$gMXpJJAE3bkhNIKB5A4lWLyKVkbhC8pYNhXQiP5K51s";
export const operatorPassword = "demo-operator-password";

/** `wide` bans networks, the others single addresses, for one protocol or one OIDC client only. */
const buckets = [
  { ...rule, name: "wide", cidr: 24 },
  { ...rule, name: "imap-only", cidr: 32, filter_by_protocol: ["imap"] },
  { ...rule, name: "web-only", cidr: 32, filter_by_oidc_cid: ["webmail"] },
  { ...rule, name: "six", cidr: 64, ipv4: false, ipv6: true },
];

const search = {
  protocol: ["*"],
  cache_name: "demo",
  // Also finds a user by the alias in `uid`.
  queries: {
    user: "SELECT username AS account, password, NOT enabled AS disabled FROM users WHERE username = :username OR uid = :username",
  },
  mapping: { account_field: "account", password_column: "password", disabled_column: "disabled" },
};

/** Two engines that cache and count, admin, and API callers of every kind. */
export async function startOperatorsStack(services: readonly ServiceName[], settings = {}): Promise<OperatorsStack> {
  const folder = await scratchFolder();
  const issuer = await createTokenIssuer("https://idp.example.test");
  const jwksFile = join(folder.path, "jwks.json");
  await writeFile(jwksFile, JSON.stringify(issuer.jwks));
  const stack = await startStack({
    engines: 2,
    redis: true,
    services,
    settings: {
      runtime: { servers: { http: { rate_limit: { per_second: 10_000, burst: 10_000 } } } },
      auth: {
        controls: { enabled: ["brute_force"], brute_force: { buckets } },
        // Its keys are written after the response, while tests compare the keys before and after a flush.
        risk: { mode: "off" },
        pipeline: { local_cache_ttl: "10m" },
        backends: { order: ["cache", "sql"], sql: { search: [search] } },
        backchannel: {
          oidc_bearer: { enabled: true, issuer: issuer.issuer, jwks_file: jwksFile },
          jwt: {
            enabled: true,
            secret_key: "test-jwt-signing-key-of-no-worth-at-all",
            users: [
              { username: "operator", password: hash, roles: ["security"] },
              { username: "mailer", password: hash, roles: ["mfa_write"] },
            ],
          },
        },
      },
      ...settings,
    },
  });
  const dispose = async (): Promise<void> => {
    await stack[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  return { ...stack, issuer, [Symbol.asyncDispose]: dispose };
}
