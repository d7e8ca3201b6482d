import type { AuthDecision } from "@postern/shared/contracts";
import { expect, test } from "vitest";
import { wireNames } from "../http/naming.ts";
import { withOauthFailure } from "./oauth-failure.ts";

const settings = {
  discovery: "https://id.example.test/discovery",
  scopes: [
    { name: "scope:mail", protocols: ["imap", "SMTP"] },
    { name: "scope:calendars", protocols: ["caldav"] },
  ],
  always: ["mail"],
};
const names = wireNames("service");
const denial: AuthDecision = { outcome: "fail", reason: "bad_token", memoryCache: "miss" };
const plain = { status: 403, headers: [["Auth-Status", "FAIL"]] as const, body: "null" };

function added(method: string, protocol: string, decision: AuthDecision = denial): readonly (readonly string[])[] {
  return withOauthFailure(plain, { method, protocol }, decision, { names, settings }).headers.slice(1);
}

test("the denial of a token tells a mail program where to obtain one for its protocol", () => {
  const [[name, text] = []] = added("OAUTHBEARER", "smtp");
  expect(name).toBe("X-Service-OAuth-Failure");
  expect(JSON.parse(text ?? "")).toEqual({
    status: "invalid_token",
    scope: "scope:mail",
    "openid-configuration": settings.discovery,
  });
  expect(added("xoauth2", "jmap")[0]?.[1]).toContain('"scope":"mail"');
});

test("passwords, successes and sites without own tokens have no such header", () => {
  expect(added("plain", "imap")).toEqual([]);
  const request = { method: "xoauth2", protocol: "imap" };
  expect(withOauthFailure(plain, request, denial, { names, settings: undefined })).toEqual(plain);
  expect(added("xoauth2", "imap", { outcome: "tempfail", code: "INTERNAL", message: "later" })).toEqual([]);
});
