import { expect, test } from "vitest";
import { authPolicyCommandOf } from "./endpoint.ts";

test.each([
  ["/api/v1/auth-policy?command=allow", "allow"],
  ["/api/v1/auth-policy?site=a&command=report", "report"],
  ["/api/v1/auth-policy?command=reset", "reset"],
  ["/api/v1/auth-policy?command=ping", "ping"],
  ["/api/v1/auth-policy", undefined],
  ["/api/v1/auth-policy?command=addBLEntry", undefined],
  // Proxies disagree on which one counts, and reset needs another scope than allow.
  ["/api/v1/auth-policy?command=allow&command=reset", undefined],
])("the command of %s is %s", (url, command) => {
  expect(authPolicyCommandOf(url)).toBe(command);
});
