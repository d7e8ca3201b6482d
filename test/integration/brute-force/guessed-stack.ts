import { join } from "node:path";
import { saltedHash, usersBackends, writeUsers } from "../../support/accounts-database.ts";
import { type Answer, askJson } from "../../support/ask-json.ts";
import type { ServiceName } from "../../support/service-process.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { merged, type Tree } from "../../support/stack-config.ts";

export const userCount = 200;

export function userName(index: number): string {
  return `user${index}@example.test`;
}

export function passwordOf(index: number): string {
  return `right-${index}`;
}

export const slowUser = "slow@example.test";
export const slowPassword = "right-slow";
/** A PBKDF2 hash as passlib writes it. It takes seconds to verify, so that other requests overtake it. */
const slowHash =
  "$pbkdf2-sha512$3000000$dGVzdC1zYWx0LW9mLTE2LQ$vw/1JeRZeGFAMsota4ndk0K5jN9V894pJUfc1YdJP52H2kJl10e3yepXqaH74pvFC0aY.SEafmq4DoHvtUeCLA";

function* users(): Iterable<readonly [string, string]> {
  for (let index = 0; index < userCount; index += 1) yield [userName(index), saltedHash(passwordOf(index))];
  yield [slowUser, slowHash];
}

/** The rules of the demo. */
const bruteForce = {
  buckets: [
    { name: "ipv4", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 10, ipv4: true },
    { name: "ipv6", period: "10m", ban_time: "1h", cidr: 64, failed_requests: 10, ipv6: true },
  ],
  ip_allowlist: ["203.0.113.250"],
  without_redis: { retry_interval: "100ms" },
  mode: "enforce",
};

/** Engines with one Redis behind a gateway, and 200 users; with both result caches, or without any. */
export function startGuessedStack({
  engines = 2,
  cached = false,
  services = [],
  delay = { enabled: false },
  withoutClient = {},
  maxConcurrentRequests = 1000,
  risk = {},
  settings = {},
}: {
  readonly engines?: number;
  readonly cached?: boolean;
  readonly services?: readonly ServiceName[];
  /** `account_delay`: disabled where a test is about networks. */
  readonly delay?: object;
  readonly withoutClient?: object;
  readonly maxConcurrentRequests?: number;
  /** `auth.risk` */
  readonly risk?: object;
  /** Merged into the whole configuration, last. */
  readonly settings?: Tree;
} = {}): Promise<Stack> {
  return startStack({
    engines,
    redis: true,
    services,
    backends: (folder) => {
      const file = join(folder, "users.sqlite");
      writeUsers(file, users());
      return usersBackends(file, cached ? ["cache", "sql"] : ["sql"]);
    },
    settings: merged(
      {
        auth: {
          risk,
          controls: {
            enabled: ["brute_force"],
            brute_force: { ...bruteForce, account_delay: delay, without_client: withoutClient },
          },
          pipeline: { local_cache_ttl: cached ? "30s" : "0s", max_concurrent_requests: maxConcurrentRequests },
        },
      },
      settings,
    ),
  });
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
