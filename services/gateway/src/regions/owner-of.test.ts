import { expect, test } from "vitest";
import { beginsSignIn, deviceRegion, taggedRegion, tieOf } from "./owner-of.ts";

const nothing = new URLSearchParams();
const token = "x".repeat(43);
const signed = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;

test.each([
  ["/oidc/token", "value"],
  ["/oidc/userinfo", "value"],
  ["/oidc/register/west~app_1", "value"],
  ["/oidc/register", undefined],
  ["/oidc/authorize", "browser"],
  ["/oidc/authorize/de", "browser"],
  ["/login/totp", "browser"],
  ["/mfa/register/home", "browser"],
  ["/api/v1/mfa/totp", "browser"],
  ["/api/v1/mfa-backchannel/totp", undefined],
  ["/loginpage", undefined],
  ["/oidc/jwks", undefined],
  ["/oidc/par", undefined],
  ["/api/v1/oidc/sessions", undefined],
  ["/static/site.css", undefined],
])("what ties %s to a region: %s", (path, tie) => expect(tieOf(path)).toBe(tie));

test.each([
  ["a code", undefined, { code: `west~${token}` }],
  ["a refresh token beside a client's credentials", "Basic YTpi", { refresh_token: `west~${token}` }],
  ["a token to introspect", undefined, { token: `west~${token}` }],
  ["a signed token, by its identifier", undefined, { token: signed({ jti: `west~${token}` }) }],
  ["a bearer token", `Bearer west~${token}`, {}],
  ["a bound token", `DPoP ${signed({ jti: `west~${token}` })}`, {}],
])("%s names its region", (_name, authorization, form: Record<string, string>) => {
  expect(taggedRegion({ path: "/oidc/token", authorization, form: new URLSearchParams(form) })).toBe("west");
});

test.each([
  ["without a tag", { code: token }],
  ["whose claims are no JSON", { token: "a.b.c" }],
  ["whose identifier is no text", { token: signed({ jti: 7 }) }],
  ["with a name that no region can have", { code: `West~${token}` }],
  ["that is too long", { token: `west~${"x".repeat(9000)}` }],
])("a value %s names none", (_name, form) => {
  expect(
    taggedRegion({ path: "/oidc/token", authorization: undefined, form: new URLSearchParams(form) }),
  ).toBeUndefined();
});

test("a registered client names its region, whatever form the path has", () => {
  for (const id of ["west~app_1", "west%7Eapp_1"])
    expect(taggedRegion({ path: `/oidc/register/${id}`, authorization: "Bearer x", form: nothing })).toBe("west");
});

test("only the page for a device's code is moved by its link", () => {
  const query = new URLSearchParams({ region: "west" });
  expect(deviceRegion("/oidc/device/verify/de", query)).toBe("west");
  expect(deviceRegion("/login", query)).toBeUndefined();
});

test.each([
  ["GET", "/oidc/authorize", "client_id=a", true],
  ["POST", "/oidc/authorize", "", true],
  ["GET", `/oidc/authorize/${"x".repeat(43)}`, "", false],
  ["GET", "/saml/sso", "SAMLRequest=a", true],
  ["GET", "/saml/sso", "request=a", false],
  ["GET", "/login", "flow=a", false],
  ["POST", "/login", "", false],
  ["GET", "/login/totp", "flow=a", false],
  ["GET", "/mfa/register/home", "", true],
  ["POST", "/mfa/totp/register", "", false],
  ["GET", "/oidc/device/verify", "region=west&user_code=A", false],
  ["GET", "/logout", "", false],
])("%s %s?%s begins a sign-in: %s", (method, path, query, begins) => {
  expect(beginsSignIn(method, path, new URLSearchParams(query))).toBe(begins);
});
