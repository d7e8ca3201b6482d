import { hash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mmdbFile, scratchFolder } from "@postern/testing";
import { expect } from "vitest";
import { logLineOf } from "../../support/log-lines.ts";
import type { Stack } from "../../support/stack.ts";
import { redisGivenUpSoon } from "../../support/stack-config.ts";
import { login, passwordOf, startGuessedStack, userName } from "../brute-force/guessed-stack.ts";
import { remembered } from "./sign-ins.ts";

export const home = "192.0.2.7";
export const phone = "192.0.3.7";
/** In no file, and so of no known system. */
export const hotel = "203.0.113.7";
export const bot = "198.51.100.7";
export const abroad = "203.0.200.7";
export const leakedUser = 9;

const berlin = { country: { iso_code: "DE" }, location: { latitude: 52.5, longitude: 13.4 } };
/** Near enough for a journey of an hour or two. */
const poznan = { country: { iso_code: "PL" }, location: { latitude: 52.4, longitude: 16.9 } };
const lagos = { country: { iso_code: "NG" }, location: { latitude: 6.5, longitude: 3.4 } };

/** Accounts are learned immediately, and a network is known from its first sign-in on. */
const quick = {
  learn_for: "0s",
  known_after: "0s",
  delay: "100ms",
  dangerous: { score: 80 },
  // Submissions are repeated until both engines have decided some.
  limits: { submissions_per_hour: 1000, submission_networks: 100 },
};

export interface StolenPasswordStack extends AsyncDisposable {
  readonly stack: Stack;
  /** With the files about networks and leaked passwords. */
  readonly folder: string;
}

function writeFiles(folder: string) {
  const [city, system, leaked] = ["city.mmdb", "system.mmdb", "leaked"].map((name) => join(folder, name));
  if (city === undefined || system === undefined || leaked === undefined) throw new Error("no names");
  writeFileSync(
    city,
    mmdbFile("City", {
      "192.0.2.0/24": berlin,
      "192.0.3.0/24": berlin,
      "198.18.0.0/15": berlin,
      "198.51.100.0/24": lagos,
      "203.0.200.0/24": poznan,
    }),
  );
  writeFileSync(
    system,
    mmdbFile("ASN", {
      "192.0.2.0/23": { autonomous_system_number: 64_500 },
      "198.18.0.0/15": { autonomous_system_number: 64_500 },
      "198.51.100.0/24": { autonomous_system_number: 64_501 },
    }),
  );
  writeFileSync(leaked, `${hash("sha1", passwordOf(leakedUser), "hex").toUpperCase()}:17\r\n`);
  return { city_file: city, system_file: system, leaked_passwords_file: leaked };
}

/** Two engines whose accounts sign in at home, and whose passwords others know. */
export async function startStolenPasswordStack(risk: object): Promise<StolenPasswordStack> {
  await using owned = new AsyncDisposableStack();
  const { path: folder } = owned.use(await scratchFolder());
  const stack = owned.use(
    await startGuessedStack({
      cached: true,
      services: ["admin"],
      risk: { ...quick, ...writeFiles(folder), ...risk },
      settings: redisGivenUpSoon,
    }),
  );
  const all = owned.move();
  return { stack, folder, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

export interface Outcome {
  readonly status: number;
  readonly words: string;
  readonly line: Readonly<Record<string, unknown>>;
}

export async function signIn(stack: Stack, index: number, clientIp: string, protocol = "imap"): Promise<Outcome> {
  const { status, headers } = await login(stack, {
    clientIp,
    user: userName(index),
    password: passwordOf(index),
    protocol,
  });
  const line = await logLineOf(stack.gateway, headers.get("x-service-session") ?? undefined, "decided");
  return { status, words: headers.get("auth-status") ?? "", line };
}

/** Signs in at home, and waits until the engines remember it. */
export async function settle(stack: Stack, index: number): Promise<void> {
  const { status } = await remembered(stack, { account: userName(index) }, () => signIn(stack, index, home));
  expect(status).toBe(200);
}
