import type { RememberedDevices } from "@postern/shared/domain/remembered-devices";
import { newCookieEntry } from "@postern/shared/domain/remembered-devices";
import { Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import type { FlowRecord, PendingSignIn } from "../flow/flow-record.ts";
import { createSiteCookies } from "../sessions/cookies.ts";
import { formVisit, type Visit } from "../visit/visit.ts";
import { writeEntry } from "./device-cookie.ts";
import { createDeviceMemory } from "./remembered-devices.ts";

const password = new Secret("a password");
const cookies = createSiteCookies("https://id.example.test");
const entry = newCookieEntry();
const flow: FlowRecord = {
  id: "flow",
  version: 1,
  kind: "oidc",
  state: "login",
  browser: "",
  expiresAtMs: 0,
  acceptsDevice: true,
};
const pending: PendingSignIn = {
  account: "bob@example.test",
  attributes: {},
  backend: 0,
  remember: false,
  passwordTs: 0,
  methods: ["totp"],
  rememberable: { entry: writeEntry(entry), check: "check" },
};

function memory({ isDoubted = false, isOffered = true, fails = false } = {}) {
  const calls: string[] = [];
  const called = async <Result>(name: string, result: Result): Promise<Result> => {
    calls.push(name);
    if (fails) throw new AppError("REDIS_UNAVAILABLE", { detail: "stopped" });
    return result;
  };
  const devices: RememberedDevices = {
    isOffered,
    passwordCheck: () => "check",
    remember: () => called("remember", undefined),
    find: () => called("find", { found: "device", entry, sinceMs: 0, successor: newCookieEntry().token } as const),
    use: () => called("use", { entry, isReused: false }),
    list: () => called("list", []),
    forget: () => called("forget", true),
    forgetAll: () => called("forgetAll", 1),
  };
  const lines: string[] = [];
  const log = (...[, text]: readonly unknown[]): void => void lines.push(String(text));
  const own = createDeviceMemory({
    devices,
    suspiciousSignIns: { isDoubted: async () => isDoubted },
    pages: { cookies },
    lifeSeconds: 60,
    audit: { record: (record) => void lines.push(`${record.event} ${record.reason ?? ""}`) },
    logger: { info: log, warn: log },
  });
  return { own, calls, lines };
}

/** A visit with the cookie. @returns the cookies that the work sets */
async function visiting(work: (visit: Visit) => Promise<unknown>): Promise<readonly string[]> {
  const app = Fastify();
  app.decorateRequest("caller", null);
  app.get("/", async (request: FastifyRequest, reply: FastifyReply) => {
    await work(formVisit({ request, reply, path: "/", language: undefined }));
    return {};
  });
  const cookie = `__Host-service_remembered=${writeEntry(entry)}`;
  const { headers } = await app.inject({ url: "/", headers: { cookie } });
  await app.close();
  return [headers["set-cookie"] ?? []].flat();
}

const proven = { factor: { id: "totp:1", since: 1, isVouched: true }, isDoubted: false };

async function isRemembered(own: ReturnType<typeof memory>["own"], more: Partial<FlowRecord & PendingSignIn> = {}) {
  let answer: boolean | undefined;
  const signIn = { flow: { ...flow, ...more }, pending: { ...pending, ...more }, password };
  const set = await visiting(async (visit) => (answer = await own.isRemembered(visit, signIn)));
  return { answer, set: set.length };
}

test("a device is recognised, and its cookie is replaced", async () => {
  const { own } = memory();
  expect(await isRemembered(own)).toEqual({ answer: true, set: 1 });
});

test.each([
  ["the site does not offer it", memory({ isOffered: false }), {}, []],
  ["the application asks how the user signs in", memory(), { acceptsDevice: false }, []],
  ["the sign-in is suspicious", memory(), { isSuspicious: true }, ["find"]],
  ["a suspicious sign-in is unanswered", memory({ isDoubted: true }), {}, ["find"]],
  ["Redis does not answer", memory({ fails: true }), {}, ["find"]],
])("the factor is asked for if %s", async (_when, { own, calls }, more, expected) => {
  expect(await isRemembered(own, more)).toEqual({ answer: false, set: 0 });
  expect(calls).toEqual(expected);
});

test("the cookie of a new device is for this host, over TLS, and no script", async () => {
  const { own, lines } = memory();
  const set = await visiting((visit) => own.remember(visit, { flow, pending }, proven));
  expect(set).toEqual([
    `__Host-service_remembered=${writeEntry(entry)}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure`,
  ]);
  expect(lines).toEqual(["remembered_device.add "]);
});

test.each([
  ["a factor that was set up during an attack", memory(), { factor: { id: "totp:1", isVouched: true } }, []],
  ["a doubted sign-in", memory(), { ...proven, isDoubted: true }, []],
  ["no factor", memory(), {}, []],
  ["a Redis that does not answer", memory({ fails: true }), proven, ["remember"]],
])("nothing is remembered after %s", async (_what, { own, calls }, proof, expected) => {
  expect(await visiting((visit) => own.remember(visit, { flow, pending }, proof))).toEqual([]);
  expect(calls).toEqual(expected);
});

test("a pending sign-in keeps a check of the password only where a device may be remembered", () => {
  const { own } = memory();
  expect(own.rememberable({ flow, pending, password }).rememberable?.check).toBe("check");
  expect(own.rememberable({ flow: { ...flow, acceptsDevice: false }, pending, password })).toEqual({});
  expect(memory({ isOffered: false }).own.rememberable({ flow, pending, password })).toEqual({});
});
