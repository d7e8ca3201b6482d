import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { scratchFolder } from "@postern/shared/testing";
import { type Answer, askJson } from "../../support/ask-json.ts";
import type { ServiceName } from "../../support/service-process.ts";
import { type Stack, startStack } from "../../support/stack.ts";

export const userCount = 200;

export function userName(index: number): string {
  return `user${index}@example.test`;
}

export function passwordOf(index: number): string {
  return `right-${index}`;
}

/** Hashes that take no time to verify: these tests count requests. */
function saltedHash(password: string): string {
  const salt = Buffer.from("test-salt");
  const digest = createHash("sha256").update(password).update(salt).digest();
  return `{SSHA256}${Buffer.concat([digest, salt]).toString("base64")}`;
}

export const slowUser = "slow@example.test";
export const slowPassword = "right-slow";
/** A PBKDF2 hash as passlib writes it. It takes seconds to verify, so that other requests overtake it. */
const slowHash =
  "$pbkdf2-sha512$3000000$dGVzdC1zYWx0LW9mLTE2LQ$vw/1JeRZeGFAMsota4ndk0K5jN9V894pJUfc1YdJP52H2kJl10e3yepXqaH74pvFC0aY.SEafmq4DoHvtUeCLA";

function createUsers(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE users (username TEXT PRIMARY KEY, password TEXT) STRICT, WITHOUT ROWID");
  const insert = database.prepare("INSERT INTO users VALUES (?, ?)");
  for (let index = 0; index < userCount; index += 1) insert.run(userName(index), saltedHash(passwordOf(index)));
  insert.run(slowUser, slowHash);
  database.close();
}

/** The rules of the demo. */
const bruteForce = {
  buckets: [
    { name: "ipv4", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 10, ipv4: true },
    { name: "ipv6", period: "10m", ban_time: "1h", cidr: 64, failed_requests: 10, ipv6: true },
  ],
  ip_allowlist: ["203.0.113.250"],
  without_redis: { timeout: "250ms", retry_interval: "100ms" },
};

/** Two engines with one Redis behind a gateway, and 200 users; with both result caches, or without any. */
export async function startGuessedStack({
  cached = false,
  services = [],
  delay = { enabled: false },
  withoutClient = {},
  maxConcurrentRequests = 1000,
}: {
  readonly cached?: boolean;
  readonly services?: readonly ServiceName[];
  /** `account_delay`: disabled where a test is about networks. */
  readonly delay?: object;
  readonly withoutClient?: object;
  readonly maxConcurrentRequests?: number;
} = {}): Promise<Stack> {
  const folder = await scratchFolder();
  const file = join(folder.path, "users.sqlite");
  createUsers(file);
  const search = {
    protocol: ["*"],
    cache_name: "users",
    queries: { user: "SELECT username AS account, password FROM users WHERE username = :username" },
    mapping: { account_field: "account" },
  };
  const stack = await startStack({
    engines: 2,
    redis: true,
    services,
    backends: { order: cached ? ["cache", "sql"] : ["sql"], sql: { default: { file }, search: [search] } },
    settings: {
      // The slow hash takes long on a busy machine.
      runtime: { timeouts: { decision: "20s" } },
      auth: {
        controls: {
          enabled: ["brute_force"],
          brute_force: { ...bruteForce, account_delay: delay, without_client: withoutClient },
        },
        pipeline: { local_cache_ttl: cached ? "30s" : "0s", max_concurrent_requests: maxConcurrentRequests },
      },
    },
  });
  const dispose = async (): Promise<void> => {
    await stack[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  return { ...stack, [Symbol.asyncDispose]: dispose };
}

export interface Login {
  readonly clientIp: string;
  readonly user?: string;
  readonly password: string;
  readonly protocol?: string;
  readonly attempt?: number;
}

export function login(
  stack: Stack,
  { clientIp, user = userName(0), password, protocol = "imap", attempt }: Login,
): Promise<Answer> {
  return askJson(stack.url, {
    username: user,
    password,
    protocol,
    client_ip: clientIp,
    ...(attempt === undefined ? {} : { auth_login_attempt: attempt }),
  });
}

/** The status only. */
export async function statusOf(stack: Stack, attempt: Login): Promise<number> {
  return (await login(stack, attempt)).status;
}
