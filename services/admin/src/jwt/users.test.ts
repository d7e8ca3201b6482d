import { createSecretKey } from "node:crypto";
import type { AuthDecision, AuthRequest } from "@postern/shared/contracts";
import { createKeyedDigest, Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import { createJwtUsers, type UserSettings } from "./users.ts";

const request = { session: "s1", clientIp: "192.0.2.1", deadline: 1000, signal: new AbortController().signal };
const accepted: AuthDecision = {
  outcome: "ok",
  account: "alice@example.test",
  accountField: "uid",
  totpSecretField: "",
  attributes: {},
  backend: 8,
  memoryCache: "miss",
};

function usersOf(decision: AuthDecision | Error = accepted) {
  const requests: AuthRequest[] = [];
  const verified: string[] = [];
  const settings: { current: UserSettings } = {
    current: {
      users: new Map([["operator", { password: "stored", roles: ["security"] }]]),
      backendRoles: ["authenticate"],
    },
  };
  const users = createJwtUsers(
    () => settings.current,
    {
      verify: async (stored, password) => {
        verified.push(String(stored));
        return stored === "stored" && password.reveal() === "right";
      },
    },
    createKeyedDigest(createSecretKey(Buffer.from("a key of the test"))),
    async (authRequest) => {
      requests.push(authRequest);
      if (decision instanceof Error) throw decision;
      return decision;
    },
  );
  return { users, requests, verified, settings };
}

test.each([
  ["right", { name: "operator", source: "configuration", roles: ["security"] }],
  ["wrong", undefined],
])("the %s password of a configured user is never sent to a backend", async (password, user) => {
  const { users, requests } = usersOf();
  expect(await users.logIn("operator", new Secret(password), request)).toEqual(user);
  expect(requests.map((sent) => sent.password)).not.toContain(password);
});

test("a wrong password costs the same for every name: one hash, and a request to an engine", async () => {
  const denied: AuthDecision = { outcome: "fail", reason: "unknown_user", memoryCache: "miss" };
  for (const decision of [denied, new AppError("BUS_DISCONNECTED")]) {
    const [configured, unknown] = await Promise.all(
      ["operator", "nobody"].map(async (name) => {
        const { users, requests, verified } = usersOf(decision);
        const result = await users.logIn(name, new Secret("wrong"), request).catch((error: unknown) => error);
        return { result, verified, requests: requests.map((sent) => ({ ...sent, username: "", password: "" })) };
      }),
    );
    expect(configured).toEqual(unknown);
    expect([unknown?.verified, unknown?.requests.length]).toEqual([["stored"], 1]);
  }
});

test("a configured user whose password is wrong does not sign in as a user of a backend with the same name", async () => {
  expect(await usersOf(accepted).users.logIn("operator", new Secret("wrong"), request)).toBeUndefined();
});

test("the correct password of a configured user needs no engine", async () => {
  const { users, requests } = usersOf(new AppError("BUS_DISCONNECTED"));
  expect(await users.logIn("operator", new Secret("right"), request)).toMatchObject({ source: "configuration" });
  expect(requests).toEqual([]);
});

test("any other user is verified by an engine, without both caches, and receives the roles of the backends", async () => {
  const { users, requests } = usersOf();
  expect(await users.logIn("alice", new Secret("secret"), request)).toEqual({
    name: "alice@example.test",
    source: "directory",
    roles: ["authenticate"],
  });
  expect(requests).toMatchObject([
    {
      operation: "authenticate",
      username: "alice",
      password: "secret",
      clientIp: "192.0.2.1",
      session: "s1",
      memoryCache: false,
      sharedCache: false,
    },
  ]);
});

test("only `ok` is a successful login; a temporary failure is never a wrong password", async () => {
  const denials: readonly AuthDecision[] = [
    { outcome: "fail", reason: "wrong_password", memoryCache: "miss" },
    { outcome: "blocked", rule: "wide", memoryCache: "miss" },
  ];
  for (const denial of denials) {
    expect(await usersOf(denial).users.logIn("alice", new Secret("x"), request)).toBeUndefined();
  }
  const tempfail = usersOf({ outcome: "tempfail", code: "REDIS_UNAVAILABLE", message: "try later" });
  await expect(tempfail.users.logIn("alice", new Secret("x"), request)).rejects.toThrow(AppError);
  await expect(tempfail.users.find({ name: "alice", source: "directory" }, request)).rejects.toThrow(AppError);
  const away = usersOf(new AppError("BUS_DISCONNECTED"));
  await expect(away.users.find({ name: "alice", source: "directory" }, request)).rejects.toThrow(AppError);
});

test("a user of a backend is looked up without a password, even under the name of a configured user", async () => {
  const { users, requests } = usersOf();
  await users.find({ name: "operator", source: "directory" }, request);
  expect(requests).toMatchObject([{ operation: "lookup", username: "operator" }]);
  expect(requests[0]).not.toHaveProperty("password");
});

test("a configured user has the roles of the current configuration and is unknown once it is removed", async () => {
  const { users, settings, requests } = usersOf();
  const operator = { name: "operator", source: "configuration" } as const;
  settings.current = { ...settings.current, users: new Map([["operator", { password: "stored", roles: [] }]]) };
  expect(await users.find(operator, request)).toEqual({ ...operator, roles: [] });
  settings.current = { ...settings.current, users: new Map() };
  expect(await users.find(operator, request)).toBeUndefined();
  expect(requests).toEqual([]);
});
