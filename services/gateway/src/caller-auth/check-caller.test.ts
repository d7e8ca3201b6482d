import { Secret } from "@postern/shared/platform/crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createBasicCheck } from "./basic.ts";
import { createCallerCheck } from "./check-caller.ts";

const basic = createBasicCheck({ username: "backchannel", password: new Secret("s:cret-ä") });

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

test("missing and wrong credentials have different outcomes", () => {
  const check = createCallerCheck({ basic, openWhenUnconfigured: true });
  expect(check(undefined)).toBe("missing");
  expect(check("")).toBe("missing");
  expect(check("Basic x")).toBe("bad_basic");
  expect(check(header("backchannel:s:cret-ä"))).toBe("ok_basic");
});

test("without configured authentication, only developer mode admits callers", () => {
  expect(createCallerCheck({ basic: undefined, openWhenUnconfigured: true })(undefined)).toBe("ok_open");
  expect(createCallerCheck({ basic: undefined, openWhenUnconfigured: false })(header("a:b"))).toBe("not_configured");
});

test("the scheme selects the method: Bearer never reaches Basic, and Basic never Bearer", () => {
  const calls: string[] = [];
  const bearer = (authorization: string) => {
    calls.push(authorization);
    return "bad_token" as const;
  };
  const either = createCallerCheck({ basic, bearer, openWhenUnconfigured: true });
  expect(either("bEARER abc")).toBe("bad_token");
  expect(either(header("backchannel:s:cret-ä"))).toBe("ok_basic");
  expect(either("Digest x")).toBe("bad_basic");
  expect(either("Bearer")).toBe("bad_token");
  expect(calls).toEqual(["bEARER abc", "Bearer"]);
});

const refuse = () => "bad_token" as const;

test("a method that is not configured admits no caller", () => {
  const onlyBearer = createCallerCheck({ basic: undefined, bearer: refuse, openWhenUnconfigured: true });
  expect(onlyBearer(undefined)).toBe("missing");
  expect(onlyBearer(header("backchannel:s:cret-ä"))).toBe("bad_basic");
  const onlyBasic = createCallerCheck({ basic, openWhenUnconfigured: true });
  expect(onlyBasic("Bearer abc")).toBe("bad_token");
});
