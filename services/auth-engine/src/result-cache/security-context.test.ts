import fc from "fast-check";
import { expect, test } from "vitest";
import { type Attempt, attemptOf } from "../pipeline/attempt.ts";
import { securityContext } from "./security-context.ts";

const settings = { configuration: "c", usesClientPort: false };

const attempt: Attempt = attemptOf({
  session: "s1",
  operation: "authenticate",
  dialect: "json",
  username: "alice",
  password: "pw",
  protocol: "imap",
  method: "plain",
  clientIp: "192.0.2.1",
  clientPort: "4711",
  localIp: "192.0.2.2",
  localPort: "143",
  oidcClientId: "web",
  tls: true,
  memoryCache: true,
  sharedCache: true,
});

const context = (change: Partial<Attempt>, over = settings): string => securityContext({ ...attempt, ...change }, over);

test.each([
  ["the username", { username: "Alice" }],
  ["the operation", { operation: "lookup" }],
  ["the protocol", { protocol: "smtp" }],
  ["the mechanism", { method: "login" }],
  ["the OIDC client", { oidcClientId: "other" }],
  ["the client's address", { clientIp: "192.0.2.9" }],
  ["the server's address", { localIp: "192.0.2.9" }],
  ["the server's port", { localPort: "993" }],
  ["TLS", { tls: false }],
  ["an empty field instead of an absent one", { clientIp: "" }],
] satisfies [string, Partial<Attempt>][])("%s changes the context", (_what, change) => {
  expect(context(change)).not.toBe(context({}));
});

test("the configuration changes the context", () => {
  expect(context({}, { ...settings, configuration: "d" })).not.toBe(context({}));
});

test("the client's port changes the context only if a search uses it", () => {
  expect(context({ clientPort: "1" })).toBe(context({ clientPort: "2" }));
  const reads = { ...settings, usesClientPort: true };
  expect(context({ clientPort: "1" }, reads)).not.toBe(context({ clientPort: "2" }, reads));
});

test("session, attempt counter and language do not change the context", () => {
  expect(context({ session: "s2", loginAttempt: 3, acceptLanguage: "de", externalSessionId: "x" })).toBe(context({}));
});

test("two attempts that differ in any field never have the same context", () => {
  // Small alphabets that include the separators of the encoding.
  const text = fc.string({ unit: fc.constantFrom("1", ":", ";", "-", "a"), maxLength: 6 });
  const fields = fc.record({ username: text, protocol: text, clientIp: text, localIp: text });
  fc.assert(
    fc.property(fields, fields, (one, other) => {
      const isSame = JSON.stringify(one) === JSON.stringify(other);
      expect(context(one) === context(other)).toBe(isSame);
    }),
  );
});
