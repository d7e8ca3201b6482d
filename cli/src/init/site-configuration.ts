import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { SiteAnswers } from "./answers.ts";
import { backendLines, sqliteSeed } from "./backend-lines.ts";
import { operatorName } from "./read-mail-servers.ts";
import { isLocal, quoted, type SiteFiles } from "./yaml-lines.ts";

export interface SiteConfiguration {
  readonly text: string;
  /** Contents by name, for the folder `secrets`. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Contents of further files by name. */
  readonly files: ReadonlyMap<string, string>;
}

/** Begins with a letter: NATS reads a value of digits as a number. */
function generated(): string {
  return `s${randomBytes(32).toString("base64url")}`;
}

/** The secret file of a caller's password. */
export const callerSecret = (caller: string): string => `caller_${caller}`;

function secretsOf(answers: SiteAnswers): ReadonlyMap<string, string> {
  const { backend, backendPassword, redis, nats, ownNats, mailServers } = answers;
  const secrets = new Map<string, string>();
  for (const name of ["caller_assertion", "password_nonce", "encryption"]) secrets.set(name, generated());
  for (const { name } of mailServers) secrets.set(callerSecret(name), generated());
  secrets.set(callerSecret(operatorName), generated());
  if (backend.kind === "ldap" && backend.bindDn !== "") secrets.set("ldap_password", backendPassword);
  if (backend.kind === "sql") secrets.set("sql_password", backendPassword);
  if (redis.credential !== undefined) secrets.set("redis_password", redis.credential);
  if (ownNats) secrets.set("nats_token", generated());
  else if (nats?.credential !== undefined) secrets.set("nats_token", nats.credential);
  return secrets;
}

function natsFile(token: string): string {
  return [
    "# NATS for Postern on this machine: users' passwords cross it, so it listens on loopback and requires a token.",
    "host: 127.0.0.1",
    "port: 4222",
    // deploy/nats/nats.conf has the same limit.
    "max_payload: 4MB",
    'ping_interval: "2s"',
    "ping_max: 2",
    'write_deadline: "2s"',
    `authorization { token: "${token}" }`,
    "",
  ].join("\n");
}

function redisLines({ redis }: SiteAnswers, files: SiteFiles): readonly string[] {
  const { protocol, host } = new URL(redis.url);
  const tls = protocol === "rediss:";
  return [
    "storage:",
    "  redis:",
    ...(tls ? ["    tls:", "      enabled: true"] : []),
    "    primary:",
    `      address: ${quoted(host.includes(":") ? host : `${host}:6379`)}`,
    ...(redis.credential === undefined ? [] : [`      password: { file: ${quoted(files.secret("redis_password"))} }`]),
    "    # Key of the digests under which failed passwords are counted. A change starts all counts from zero.",
    `    password_nonce: { file: ${quoted(files.secret("password_nonce"))} }`,
    "    # Encrypts sessions, tokens and cached results. To replace it, move the old value to encryption_secrets_old.",
    `    encryption_secret: { file: ${quoted(files.secret("encryption"))} }`,
  ];
}

function httpLines({ pagesUrl, proxies }: SiteAnswers): readonly string[] {
  return [
    "  servers:",
    "    http:",
    "      # For mail servers and `postern`. If mail servers run on other machines, add an address that only they can reach, and TLS.",
    '      address: ["127.0.0.1:9080"]',
    ...(pagesUrl === undefined
      ? []
      : ["      # For the reverse proxy in front of the sign-in pages.", '      frontend_address: ["127.0.0.1:9081"]']),
    "      # The address of a client in X-Forwarded-For is accepted from these only.",
    `      trusted_proxies: [${proxies.map(quoted).join(", ")}]`,
  ];
}

function busLines({ nats }: SiteAnswers, files: SiteFiles, hasToken: boolean): readonly string[] {
  if (nats === undefined)
    return [
      "    # One process is the whole site. Several of them need NATS: docs/operate/shapes.md",
      "    servers: []",
    ];
  const { url } = nats;
  return [
    `    servers: [${quoted(url)}]`,
    ...(hasToken ? [`    token: { file: ${quoted(files.secret("nats_token"))} }`] : []),
    ...(url.startsWith("tls://") || !isLocal(url) ? ["    tls:", "      enabled: true"] : []),
  ];
}

function runtimeLines(answers: SiteAnswers, files: SiteFiles, hasToken: boolean): readonly string[] {
  return [
    "runtime:",
    ...httpLines(answers),
    "  services:",
    "    caller_assertion:",
    "      # Proves to the services behind the gateway which caller it has authenticated.",
    `      secret: { file: ${quoted(files.secret("caller_assertion"))} }`,
    "  bus:",
    ...busLines(answers, files, hasToken),
  ];
}

function callerEntry(name: string, networks: readonly string[], files: SiteFiles): readonly string[] {
  return [
    `      - name: ${quoted(name)}`,
    `        password: { file: ${quoted(files.secret(callerSecret(name)))} }`,
    ...(networks.length === 0 ? [] : [`        networks: [${networks.map(quoted).join(", ")}]`]),
  ];
}

function callerLines({ mailServers }: SiteAnswers, files: SiteFiles): readonly string[] {
  return [
    "  backchannel:",
    "    # Who may ask: docs/connect/callers.md. A mail server that lists all users also needs list-accounts.",
    "    callers:",
    ...mailServers.flatMap(({ name, networks }) => [
      ...callerEntry(name, networks, files),
      "        operations: [authenticate, lookup]",
    ]),
    "      # For `postern` on this machine. Without operations, a caller may use everything.",
    ...callerEntry(operatorName, ["127.0.0.1", "::1"], files),
  ];
}

const guessingLines = [
  "  controls:",
  "    # Bans networks after failed logins. The wider IPv6 rule is for attackers with many /64 networks.",
  "    enabled: [brute_force]",
  "    brute_force:",
  "      buckets:",
  "        - { name: ipv4, period: 10m, ban_time: 1h, cidr: 24, failed_requests: 10, ipv4: true }",
  "        - { name: ipv6, period: 10m, ban_time: 1h, cidr: 64, failed_requests: 10, ipv6: true }",
  "        - { name: ipv6-site, period: 10m, ban_time: 1h, cidr: 48, failed_requests: 40, ipv6: true }",
];

function pagesLines({ pagesUrl }: SiteAnswers): readonly string[] {
  if (pagesUrl === undefined) return [];
  return [
    "",
    "identity:",
    "  frontend:",
    "    # Sign-in and self-service pages.",
    "    enabled: true",
    "  oidc:",
    "    enabled: true",
    `    issuer: ${quoted(pagesUrl)}`,
    "    # Applications that users sign in to: docs/connect/openid-connect.md",
    "    clients: []",
  ];
}

/** The configuration file, its secrets and the files beside it, which will be in `folder`. */
export function siteConfiguration(answers: SiteAnswers, folder: string): SiteConfiguration {
  const files: SiteFiles = { path: (name) => join(folder, name), secret: (name) => join(folder, "secrets", name) };
  const secrets = secretsOf(answers);
  const token = secrets.get("nats_token");
  const text = [
    "# Configuration of Postern, written by `postern init`. Every key: config/example.yaml and docs/reference/configuration.",
    `# After a change: postern config check --config ${files.path("config.yaml")}, then systemctl reload ${answers.isOneProcess ? "postern" : "'postern-*'"}`,
    ...runtimeLines(answers, files, token !== undefined),
    "",
    ...redisLines(answers, files),
    "",
    "auth:",
    ...callerLines(answers, files),
    ...guessingLines,
    ...backendLines(answers, files),
    ...pagesLines(answers),
    "",
  ].join("\n");
  const more = new Map<string, string>();
  if (answers.ownNats && token !== undefined) more.set("nats-server.conf", natsFile(token));
  if (answers.backend.kind === "sqlite") more.set("accounts.sql", sqliteSeed);
  return { text, secrets, files: more };
}
