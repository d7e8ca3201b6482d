import type { VerifiedToken } from "@postern/shared/domain/tokens";
import { loadConfig } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CallerCheckSettings, createCallerCheck, domainsOf, judge } from "./authenticate.ts";
import { basicCallers, createBasicCheck, mayDo } from "./basic.ts";
import { tokenDomains } from "./caller-domains.ts";

const need = { base: "service:authenticate", anyScope: [] };
const anyToken: VerifiedToken = {
  kind: "access",
  subject: "",
  clientId: "",
  scopes: [],
  expiresAtMs: 0,
  revocation: { id: "", subjectDigest: "", epoch: 0 },
};
const basic = createBasicCheck("backchannel", new Secret("s:cret-ä"));

function header(credentials: string, scheme = "Basic"): string {
  return `${scheme} ${Buffer.from(credentials).toString("base64")}`;
}

test("the configured credentials are accepted, with the scheme in any case (RFC 7617)", () => {
  expect(basic(header("backchannel:s:cret-ä"))).toBe(true);
  expect(basic(header("backchannel:s:cret-ä", "bASIC"))).toBe(true);
});

test.each([
  header("backchannel:s:cret-"),
  header("Backchannel:s:cret-ä"),
  header("backchannel:"),
  header(":s:cret-ä"),
  header(""),
  "Basic",
  "Basic !!!",
  `Bearer ${Buffer.from("backchannel:s:cret-ä").toString("base64")}`,
  `${header("backchannel:s:cret-ä")} extra`,
])("%j is rejected", (authorization) => {
  expect(basic(authorization)).toBe(false);
});

test("no other value is accepted", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(basic(text)).toBe(false);
      expect(basic(header(text))).toBe(false);
    }),
  );
});

const known = {
  basic_auth: { enabled: true, username: "backchannel", password: "s:cret-ä" },
  callers: [
    {
      name: "mx1",
      password: "first-password-of-mx1",
      next_password: "next-password-of-mx1",
      networks: [],
      operations: [],
      domains: [],
      default_domain: "",
    },
    {
      name: "mx2",
      password: "only-password-of-mx2",
      next_password: "",
      networks: ["192.0.2.0/24", "2001:db8::/32"],
      operations: ["authenticate", "bans", "loadConfiguration"],
      domains: ["A.test", "bücher.test"],
      default_domain: "a.test",
    },
  ],
};
const lookUp = basicCallers(known);

/** Checks a caller at 198.51.100.1, or another address. */
function checkOf(settings: CallerCheckSettings) {
  const check = createCallerCheck(settings);
  return (authorization: string | undefined, address = "198.51.100.1") => {
    const finding = check(authorization, () => address);
    if (finding instanceof Promise || typeof finding === "string") return finding;
    return finding.outcome === "ok_basic" ? `ok_basic ${finding.caller.name}` : finding.outcome;
  };
}

test("missing and wrong credentials have different outcomes", () => {
  const check = checkOf({ basic: lookUp, openWhenUnconfigured: true });
  expect(check(undefined)).toBe("missing");
  expect(check("")).toBe("missing");
  expect(check("Basic x")).toBe("bad_basic");
  expect(check(header("backchannel:s:cret-ä"))).toBe("ok_basic backchannel");
});

test("each caller has its own passwords, and two of them during a rotation", () => {
  const check = checkOf({ basic: lookUp, openWhenUnconfigured: false });
  expect(check(header("mx1:first-password-of-mx1"))).toBe("ok_basic mx1");
  expect(check(header("mx1:next-password-of-mx1"))).toBe("ok_basic mx1");
  for (const wrong of ["mx1:only-password-of-mx2", "mx2:first-password-of-mx1", "mx2:", "mx3:first-password-of-mx1"])
    expect([wrong, check(header(wrong))]).toEqual([wrong, "bad_basic"]);
});

test("correct credentials from an address outside the networks are an outcome of their own", () => {
  const check = checkOf({ basic: lookUp, openWhenUnconfigured: false });
  const right = header("mx2:only-password-of-mx2");
  for (const own of ["192.0.2.7", "::ffff:192.0.2.7", "2001:db8::25"]) expect(check(right, own)).toBe("ok_basic mx2");
  for (const foreign of ["198.51.100.1", "2001:db9::1", "", "unknown"])
    expect([foreign, check(right, foreign)]).toEqual([foreign, "foreign_network"]);
  expect(check(header("mx2:wrong"), "198.51.100.1")).toBe("bad_basic");
});

test("without the single pair only callers with names are known, and without either none", () => {
  const pair = { ...known.basic_auth, enabled: false };
  const check = checkOf({ basic: basicCallers({ ...known, basic_auth: pair }), openWhenUnconfigured: false });
  expect(check(header("backchannel:s:cret-ä"))).toBe("bad_basic");
  expect(check(header("mx1:first-password-of-mx1"))).toBe("ok_basic mx1");
  expect(basicCallers({ basic_auth: pair, callers: [] })).toBeUndefined();
});

test("a caller with a list may use the operations in it; one without may use all", () => {
  const restricted = lookUp?.(header("mx2:only-password-of-mx2")) ?? { name: "" };
  const administrative = lookUp?.(header("mx1:first-password-of-mx1")) ?? { name: "", actions: new Set<string>() };
  for (const action of ["authenticate", "listBruteForceEntries", "readJob", "loadConfiguration"])
    expect([action, mayDo(restricted, action)]).toEqual([action, true]);
  for (const action of ["lookup", "list-accounts", "flushUserCache", "bans", undefined]) {
    expect([action, mayDo(restricted, action)]).toEqual([action, false]);
    expect([action, mayDo(administrative, action)]).toEqual([action, true]);
  }
});

test("a caller with domains may use operations about accounts, and none of the site", () => {
  const check = createCallerCheck({ basic: lookUp, openWhenUnconfigured: false });
  const finding = check(header("mx2:only-password-of-mx2"), () => "192.0.2.7");
  if (finding instanceof Promise) throw new Error("a Basic caller is found at once");
  expect(domainsOf(finding)).toEqual({ domains: ["a.test", "xn--bcher-kva.test"], defaultDomain: "a.test" });
  const judged = (action: string) => judge(finding, action, { needOf: () => need, actionOf: (name) => name });
  expect([judged("authenticate"), judged("loadConfiguration"), judged("listBruteForceEntries")]).toEqual([
    "ok_basic",
    "operation_denied",
    "operation_denied",
  ]);
});

const hash = "$argon2id$v=19$m=64,t=1,p=1$K9gGyX8OAK8aH8Myj6djqQ$QOSKaOmJK9DK/U25o9b6ZB+iwQ/4VoI+wA4UoXPXAzc";

const bearer = async () => ({ outcome: "ok_bearer", token: { ...anyToken, clientId: "one" } }) as const;

const ofRemoved = async () => ({ outcome: "ok_bearer", token: { ...anyToken, clientId: "removed" } }) as const;

function findOf(text: string) {
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  return result.ok ? tokenDomains(result.config) : undefined;
}

test("the owner of a token has the domains of its client or user", async () => {
  const result = loadConfig({
    text: `{ auth: { domains: { records: [{ name: a.test }, { name: b.test }] }, backchannel: { jwt: { users: [{ username: desk, password: "${hash}", domains: [b.test] }] } } },
      identity: { oidc: { clients: [{ client_id: one, domains: [a.test] }, { client_id: desk }] } } }`,
    env: {},
    readFile: () => "",
  });
  const config = result.ok ? result.config : undefined;
  const find = config && tokenDomains(config);
  const of = (owner: Partial<VerifiedToken>) => find?.({ ...anyToken, ...owner });
  expect([
    of({ clientId: "one" }),
    of({ clientId: "desk" }),
    of({ kind: "service", subject: "desk" }),
    of({ kind: "service", subject: "one" }),
  ]).toEqual([
    { domains: ["a.test"], defaultDomain: "a.test" },
    undefined,
    { domains: ["b.test"], defaultDomain: "b.test" },
    { domains: [] },
  ]);
  expect([
    of({ kind: "service", subject: "ann@A.test" }),
    of({ kind: "service", subject: "ann@" }),
    of({ clientId: "removed" }),
  ]).toEqual([{ domains: ["a.test"], defaultDomain: "a.test" }, { domains: [] }, "unknown"]);
  const later = createCallerCheck({
    basic: undefined,
    bearer: ofRemoved,
    tokenDomains: find,
    openWhenUnconfigured: false,
  });
  expect(await later("Bearer x", () => "192.0.2.1")).toBe("bad_token");
  const check = createCallerCheck({ basic: undefined, bearer, tokenDomains: find, openWhenUnconfigured: false });
  expect(domainsOf(await check("Bearer x", () => "192.0.2.1"))).toMatchObject({ domains: ["a.test"] });
});

test("without limits of clients, tokens of all clients are accepted; without domains, nobody has a limit", () => {
  expect(findOf("{}")).toBeUndefined();
  const find = findOf("{ auth: { domains: { records: [{ name: a.test }], default_domain: a.test } } }");
  expect(find?.({ ...anyToken, clientId: "of-another-issuer" })).toBeUndefined();
  expect(find?.({ ...anyToken, kind: "service", subject: "ann" })).toMatchObject({ domains: ["a.test"] });
});

test("without configured authentication, only developer mode admits callers", () => {
  expect(checkOf({ basic: undefined, openWhenUnconfigured: true })(undefined)).toBe("ok_open");
  expect(checkOf({ basic: undefined, openWhenUnconfigured: false })(header("a:b"))).toBe("not_configured");
});

test("the scheme selects the method: tokens never reach Basic, and Basic never the check of tokens", () => {
  const calls: string[] = [];
  const bearer = (authorization: string) => {
    calls.push(authorization);
    return "bad_token" as const;
  };
  const either = checkOf({ basic: lookUp, bearer, openWhenUnconfigured: true });
  expect(either("bEARER abc")).toBe("bad_token");
  expect(either("dPoP abc")).toBe("bad_token");
  expect(either(header("backchannel:s:cret-ä"))).toBe("ok_basic backchannel");
  expect(either("Digest x")).toBe("bad_basic");
  expect(either("Bearer")).toBe("bad_token");
  expect(calls).toEqual(["bEARER abc", "dPoP abc", "Bearer"]);
});

const refuse = () => "bad_token" as const;

test("a method that is not configured admits no caller", () => {
  const onlyBearer = checkOf({ basic: undefined, bearer: refuse, openWhenUnconfigured: true });
  expect(onlyBearer(undefined)).toBe("missing");
  expect(onlyBearer(header("backchannel:s:cret-ä"))).toBe("bad_basic");
  const onlyBasic = checkOf({ basic: lookUp, openWhenUnconfigured: true });
  expect([onlyBasic("Bearer abc"), onlyBasic("DPoP abc")]).toEqual(["bad_token", "bad_token"]);
});
