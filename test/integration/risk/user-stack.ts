import { beforeRecords } from "@postern/shared/domain/risk";
import type { RedisClient } from "@postern/shared/platform/redis";
import { expect } from "vitest";
import type { NewSession } from "../../../services/idp/src/sessions/session-store-redis.ts";
import { askJson } from "../../support/ask-json.ts";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import { merged, type Tree } from "../../support/stack-config.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";
import { remembered } from "./sign-ins.ts";

export const home = "192.0.2.7";
export const bot = "198.51.100.7";
export const suspiciousPath = "/mfa/suspicious-sign-ins";

/** A user of the demo. */
export const login = (name: string) => ({
  username: `${name}@example.test`,
  password: `${name}-demo-password`,
});

export interface UserStack extends AsyncDisposable {
  readonly idp: IdpStack;
  readonly redis: RedisClient;
  /** Signs in at home by a mail program, and waits until the engines remember it. */
  readonly settle: (name: string) => Promise<void>;
  readonly byMail: (name: string, clientIp: string, protocol: string) => ReturnType<typeof askJson>;
  /** A browser with a session of the user. */
  readonly browserOf: (name: string, session: Partial<NewSession>, clientIp?: string) => Promise<Browser>;
  /** What Redis keeps about risks. */
  readonly kept: () => Promise<string>;
}

/** Idp and two engines, or one process. Every new network is suspicious, so that no places are needed. */
export async function startUserStack(risk: Tree, settings: Tree = {}, engines = 2): Promise<UserStack> {
  await using started = new AsyncDisposableStack();
  const auth = { risk: merged({ mode: "enforce", learn_for: "0s" }, risk), controls: { enabled: ["brute_force"] } };
  const idp = started.use(await startIdpStack(merged({ auth }, settings), { engines, idps: 1 }));
  const redis = await testRedis(idp.stack.redis?.port ?? 0);
  started.defer(() => redis.disconnect());
  const byMail: UserStack["byMail"] = (name, clientIp, protocol) =>
    askJson(idp.stack.url, { ...login(name), protocol, client_ip: clientIp });
  const owned = started.move();
  return {
    idp,
    redis,
    byMail,
    settle: async (name) => {
      const { username } = login(name);
      const { status } = await remembered(idp.stack, { account: username }, () => byMail(name, home, "imap"));
      expect(status).toBe(200);
    },
    browserOf: async (name, session, clientIp) => {
      const browser = createBrowser(idp.replicas, clientIp);
      const [, sid = ""] = (await signedIn(redis, login(name).username, session)).split("=");
      browser.cookies.set("service_session", sid);
      return browser;
    },
    kept: async () => {
      const lines = (await redisContent(redis)).split("\n");
      return lines.filter((line) => line.includes("risk:")).join("\n");
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** It was there before enrolments were recorded. */
const oldFactor = { id: "totp:old", since: beforeRecords, isVouched: true };
const now = (): number => Math.floor(Date.now() / 1000);
/** Sessions that are older than a suspicious sign-in, and as new as one. */
export const longAgo = (): Partial<NewSession> => ({ loginTs: now() - 1800 });
export const justNow = (mfaSecondsAgo?: number): Partial<NewSession> => ({
  loginTs: now(),
  ...(mfaSecondsAgo !== undefined && { mfaTs: now() - mfaSecondsAgo, factor: oldFactor }),
});

/** The address of the first "Yes, it was me". */
export const confirmPath = ({ text }: Pick<Page, "text">): string | undefined =>
  /action="(\/mfa\/suspicious-sign-ins\/[^"]+\/confirm)"/u.exec(text)?.[1];

export const tokenOf = (page: Page): { readonly csrf_token: string } => ({
  csrf_token: hiddenFields(page)["csrf_token"] ?? "",
});
