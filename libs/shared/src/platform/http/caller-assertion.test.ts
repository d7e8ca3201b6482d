import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import { describe, expect, test, vi } from "vitest";
import { Secret } from "../crypto/secret.ts";
import { type Caller, createCallerSigner, createCallerVerifier } from "./caller-assertion.ts";

const secret = new Secret("0123456789abcdef0123456789abcdef");
const caller: Caller = { method: "basic", scopes: ["service:admin"], clientIp: "203.0.113.9", session: "7d3f" };
const sign = createCallerSigner({ secret, ttlSeconds: 30 });

test("the intended service can read the gateway's assertion", async () => {
  expect(await createCallerVerifier({ secret }, "admin")(await sign(caller, "admin"))).toEqual(caller);
});

test("the assertion contains the caller's name, if there is one", async () => {
  const verify = createCallerVerifier({ secret }, "admin");
  expect(await verify(await sign({ ...caller, name: "backchannel" }, "admin"))).toEqual({
    ...caller,
    name: "backchannel",
  });
  expect(await verify(await sign(caller, "admin"))).not.toHaveProperty("name");
});

test("the assertion says that the gateway admitted a caller without credentials, and only then", async () => {
  const verify = createCallerVerifier({ secret }, "admin");
  const open = { ...caller, method: "none", scopes: [], isOpen: true } as const;
  expect(await verify(await sign(open, "admin"))).toEqual(open);
  expect(await verify(await sign({ ...open, isOpen: undefined }, "admin"))).not.toHaveProperty("isOpen");
});

test("the assertion contains the domains of a limited caller; a limit that cannot be read permits none", async () => {
  const verify = createCallerVerifier({ secret }, "admin");
  const limited = { ...caller, domains: ["a.test"], defaultDomain: "a.test" };
  expect(await verify(await sign(limited, "admin"))).toEqual(limited);
  expect(await verify(await sign({ ...caller, domains: [] }, "admin"))).toEqual({ ...caller, domains: [] });
  const unreadable: Caller = Object.assign({ ...caller }, { domains: "a.test" });
  expect(await verify(await sign(unreadable, "admin"))).toEqual({ ...caller, domains: [] });
  expect(await verify(await sign(caller, "admin"))).not.toHaveProperty("domains");
});

test("versions that know no limits reject the assertion of a limited caller by its type", async () => {
  const [ofLimited, ofOther] = [await sign({ ...caller, domains: [] }, "admin"), await sign(caller, "admin")];
  expect([ofLimited, ofOther].map((assertion) => decodeProtectedHeader(assertion).typ)).toEqual([
    "postern-limited-caller+jwt",
    "postern-caller+jwt",
  ]);
  const withoutDomains = await new SignJWT({ method: "basic", scopes: [], ip: "203.0.113.9", sid: "7d3f" })
    .setProtectedHeader({ alg: "HS256", typ: "postern-limited-caller+jwt" })
    .setIssuer("postern-gateway")
    .setAudience("admin")
    .setIssuedAt()
    .setExpirationTime("30s")
    .sign(Buffer.from(secret.reveal()));
  expect(await createCallerVerifier({ secret }, "admin")(withoutDomains)).toMatchObject({ domains: [] });
});

test("the assertion contains the client's certificate", async () => {
  const certificate = { der: "MIIB", isVerified: true };
  const verify = createCallerVerifier({ secret }, "idp");
  expect(await verify(await sign({ ...caller, certificate }, "idp"))).toEqual({ ...caller, certificate });
});

test("assertions are compatible with versions that sign and read with jose", async () => {
  const key = Buffer.from(secret.reveal());
  const { method, scopes, clientIp: ip, session: sid } = caller;
  const signed = await new SignJWT({ method, scopes: [...scopes], ip, sid })
    .setProtectedHeader({ alg: "HS256", typ: "postern-caller+jwt" })
    .setIssuer("postern-gateway")
    .setAudience("admin")
    .setIssuedAt()
    .setExpirationTime("30s")
    .sign(key);
  expect(await createCallerVerifier({ secret }, "admin")(signed)).toEqual(caller);
  const rules = { issuer: "postern-gateway", audience: "admin", typ: "postern-caller+jwt" };
  const { payload } = await jwtVerify(await sign(caller, "admin"), key, { ...rules, requiredClaims: ["exp", "iat"] });
  expect(payload).toMatchObject({ method, scopes, ip, sid });
});

test("no other service accepts the assertion", async () => {
  expect(await createCallerVerifier({ secret }, "idp")(await sign(caller, "admin"))).toBeUndefined();
});

test("an assertion that has another key, has expired, is missing or is malformed is rejected", async () => {
  const verify = createCallerVerifier({ secret }, "admin");
  const forged = createCallerSigner({ secret: new Secret("x".repeat(32)), ttlSeconds: 30 });
  const expired = createCallerSigner({ secret, ttlSeconds: -61 });
  for (const assertion of [await forged(caller, "admin"), await expired(caller, "admin"), "", "a.b.c", "{}"]) {
    expect(await verify(assertion)).toBeUndefined();
  }
});

const shared = (isMeasured = true) => ({ now: () => Date.now(), isMeasured: () => isMeasured });

describe("with a clock that gateway and service have measured", () => {
  const ttlSeconds = 30;
  /** Signed by a gateway whose wall clock is an hour behind. */
  const signedBehind = (clock?: ReturnType<typeof shared>, agoMs = 0): Promise<string> => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 - agoMs });
    try {
      return createCallerSigner({ secret, ttlSeconds }, clock && { ...clock, now: () => clock.now() + 3_600_000 })(
        caller,
        "idp",
      );
    } finally {
      vi.useRealTimers();
    }
  };

  test("an assertion is accepted although the gateway's wall clock is an hour behind", async () => {
    const assertion = await signedBehind(shared());
    expect(await createCallerVerifier({ secret }, "idp", shared())(assertion)).toEqual(caller);
    expect(await createCallerVerifier({ secret }, "admin", shared())(assertion)).toBeUndefined();
  });

  test("it expires by that clock", async () => {
    const verify = createCallerVerifier({ secret }, "idp", shared());
    expect(await verify(await signedBehind(shared(), 80_000))).toEqual(caller);
    expect(await verify(await signedBehind(shared(), 100_000))).toBeUndefined();
  });

  test("the wall clock alone counts while one of the two has not measured it", async () => {
    const assertion = await signedBehind(shared());
    expect(await createCallerVerifier({ secret }, "idp", shared(false))(assertion)).toBeUndefined();
    expect(await createCallerVerifier({ secret }, "idp")(assertion)).toBeUndefined();
    const verify = createCallerVerifier({ secret }, "idp", shared());
    expect(await verify(await signedBehind(shared(false)))).toBeUndefined();
    expect(await verify(await signedBehind())).toBeUndefined();
    expect(await verify(await createCallerSigner({ secret, ttlSeconds })(caller, "idp"))).toEqual(caller);
  });
});

test("another kind of token signed with the same key is rejected", async () => {
  const key = Buffer.from(secret.reveal());
  const other = await new SignJWT({ method: "basic", scopes: [], ip: "", sid: "" })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer("postern-gateway")
    .setAudience("admin")
    .setIssuedAt()
    .setExpirationTime("30s")
    .sign(key);
  expect(await createCallerVerifier({ secret }, "admin")(other)).toBeUndefined();
});
