import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testClients } from "../../support/oidc-stack.ts";
import type { Tree } from "../../support/stack-config.ts";
import { mailDomain } from "./drives/mail-clients.ts";
import { operator } from "./drives/tokens.ts";

const operatorHash = "$argon2id$v=19$m=64,t=1,p=1$NqAU9gpIOrJkNAAg1eKaTg$gMXpJJAE3bkhNIKB5A4lWLyKVkbhC8pYNhXQiP5K51s";
const hookMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const hookText = `
function hook(request)
  return { method = request.method, caller = request.caller.method }
end`;

/** A service provider that signs nothing. */
export const samlProvider = {
  entity_id: "urn:test:plain",
  acs_url: "https://plain.example.test/acs",
  slo_url: "https://plain.example.test/slo",
} as const;

const consoleClient = {
  client_id: "console",
  client_secret: "console-secret",
  redirect_uris: ["http://127.0.0.1:9081/console/callback"],
};

/** Writes the script of every hook; resolves to its path. */
export async function writeHook(folder: string): Promise<string> {
  const path = join(folder, "hook.lua");
  await writeFile(path, hookText);
  return path;
}

/** Enables everything that has an operation. The gateway is the issuer. */
export function stackSettings(issuer: string, hookScript: string, auditFile: string): Tree {
  return {
    observability: {
      audit: { file: auditFile },
      decision_history: { enabled: true },
      audit_history: { enabled: true },
    },
    runtime: {
      developer_mode: true,
      servers: {
        http: {
          auth_basic_endpoint: true,
          auth_policy_endpoint: true,
          public_status: true,
          openapi_validation: { enabled: true, enforce: true, operations: ["flushUserCache"] },
          rate_limit: { per_second: 10_000, burst: 10_000 },
          console_address: ["127.0.0.1:0"],
        },
      },
      console: { url: "http://127.0.0.1:9081", client_id: "console" },
      // No other region answers.
      regions: { name: "east", peers: ["west"], bus: { servers: ["nats://127.0.0.1:1"] } },
    },
    identity: {
      frontend: { enabled: true },
      mfa: { lost_phone: { enabled: true } },
      // Nothing needs to arrive; without anyone to notify, there is no code for a lost phone.
      notices: { enabled: true, webhook: { url: "http://127.0.0.1:9/", secret: "a-secret-of-webhooks-0123456789" } },
      mail_clients: {
        enabled: true,
        domains: [{ names: [mailDomain], imap: { host: "mail.example.test" }, smtp: { host: "mail.example.test" } }],
      },
      saml: {
        enabled: true,
        entity_id: `${issuer}/saml/metadata`,
        persistent_id_secret: "a-secret-that-is-kept-for-ever",
        service_providers: [samlProvider],
      },
      oidc: {
        enabled: true,
        issuer,
        clients: [...testClients, consoleClient],
        mail_registration: { enabled: true },
        dynamic_registration: { enabled: true, open: true },
        session_management: { enabled: true },
      },
    },
    auth: {
      backchannel: {
        jwt: {
          enabled: true,
          secret_key: "test-jwt-signing-key-of-no-worth-at-all",
          users: [
            { username: operator.username, password: operatorHash, roles: ["admin", "security"] },
            { username: "nobody", password: operatorHash, roles: [] },
          ],
        },
      },
      controls: {
        enabled: ["lua"],
        lua: {
          hooks: hookMethods.map((http_method) => ({
            http_location: "echo",
            http_method,
            script_path: hookScript,
          })),
        },
      },
      upstreams: { imap: { address: "127.0.0.1", port: 10143 } },
    },
  };
}
