import { createRemoteJWKSet, decodeProtectedHeader, type JWTPayload, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import type { Page } from "../../support/browser.ts";
import type { OidcStack } from "../../support/oidc-stack.ts";
import { answerOf, askInTurn, type Tokens } from "../../support/relying-party.ts";

type Members = Readonly<Record<string, unknown>>;

/** Helpers of the test file whose servers these tests share. */
export interface RequestObjectTools {
  readonly stack: () => OidcStack;
  readonly signed: (client: string, more?: Members) => Promise<string>;
  readonly signedByAnother: (client: string, more: Members) => Promise<string>;
  readonly membersOf: (client: string) => JWTPayload;
  readonly push: (
    client: string,
    form: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Tokens>;
  /** Opens a page in the browser of a user who is signed in. */
  readonly open: (path: string, headers: Readonly<Record<string, string>>) => Promise<Page>;
  readonly byReference: (client: string, pushed: Tokens) => Promise<Page>;
  readonly authorize: (client: string, request: string) => Promise<Page>;
  readonly redeem: (client: string, code: string) => Promise<Tokens>;
}

/** The response that a page brings to the client. */
export const wordsOf = (page: Page) => Object.fromEntries(answerOf(page));

export function messageSigning(tools: RequestObjectTools): void {
  const { stack, signed, signedByAnother, membersOf, push, open, byReference, authorize, redeem } = tools;
  const unsigned = (): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(membersOf("strict")).flatMap(([name, value]) =>
        typeof value === "string" ? [[name, value]] : [],
      ),
    );

  describe("a client with require_signed_request_object (FAPI 2.0 Message Signing)", () => {
    test("must sign, at both endpoints", async () => {
      const { iss: _iss, aud: _aud, jti: _jti, ...form } = unsigned();
      // The name of the header by which the bridge tells the provider that a request was signed.
      const header = { "x-service-request-object": "signed" };
      const { status, body } = await push("strict", form, header);
      expect([status, body["error"]]).toEqual([400, "invalid_request"]);
      const query = new URLSearchParams(form);
      const page = await open(`/oidc/authorize?${query.toString()}`, { ...header, accept: "text/html" });
      expect(wordsOf(page)["error"]).toBe("invalid_request");
      const pushed = await push("strict", { request: await signed("strict") });
      expect(wordsOf(await byReference("strict", pushed))["code"]).toBeDefined();
    });

    test.each<readonly [string, Members]>([
      ["without aud", { aud: undefined }],
      ["without nbf", { nbf: undefined }],
      ["without exp", { exp: undefined }],
      ["that is valid for more than an hour", { exp: Math.floor(Date.now() / 1000) + 7200 }],
      ["that became valid more than an hour ago", { nbf: Math.floor(Date.now() / 1000) - 7200 }],
    ])("cannot use a request object %s", async (_what, more) => {
      const { status, body } = await push("strict", { request: await signed("strict", more) });
      expect([status, body["error"]]).toEqual([400, "invalid_request_object"]);
    });
  });

  const verified = async (response: string, client: string): Promise<JWTPayload> => {
    const set = createRemoteJWKSet(new URL(`${stack().issuer}/oidc/jwks`));
    return (await jwtVerify(response, set, { issuer: stack().issuer, audience: client, requiredClaims: ["exp"] }))
      .payload;
  };

  describe("JWT-secured authorization responses (JARM)", () => {
    test.each(["jwt", "query.jwt", "form_post.jwt"])("%s is signed with the client's algorithm", async (mode) => {
      const pushed = await push("strict", { request: await signed("strict", { response_mode: mode }) });
      const page = await byReference("strict", pushed);
      expect(page.location === undefined).toBe(mode === "form_post.jwt");
      const { response = "", ...more } = wordsOf(page);
      expect([Object.keys(more), decodeProtectedHeader(response).alg]).toEqual([[], "ES256"]);
      const { code, state } = await verified(response, "strict");
      expect(state).toBe("signed-state");
      expect((await redeem("strict", String(code))).status).toBe(200);
    });

    test("errors are signed too", async () => {
      const request = await signed("strict", { response_mode: "jwt", prompt: "none", max_age: 1 });
      const { response = "" } = wordsOf(await byReference("strict", await push("strict", { request })));
      expect(await verified(response, "strict")).toMatchObject({ error: "login_required", state: "signed-state" });
      const refused = await signedByAnother("signs", { response_mode: "jwt" });
      const other = wordsOf(await authorize("signs", refused))["response"] ?? "";
      expect(await verified(other, "signs")).toMatchObject({ error: "invalid_request_object", state: "signed-state" });
    });

    test("discovery lists modes and algorithms", async () => {
      const { body } = await askInTurn(stack(), "/.well-known/openid-configuration");
      const algorithms = expect.arrayContaining(["RS256", "PS256", "ES256"]);
      expect(body).toMatchObject({
        request_parameter_supported: true,
        request_uri_parameter_supported: true,
        require_request_uri_registration: true,
        request_object_signing_alg_values_supported: expect.arrayContaining(["PS256", "none"]),
        authorization_signing_alg_values_supported: algorithms,
        response_modes_supported: ["query", "form_post", "jwt", "query.jwt", "form_post.jwt"],
      });
    });
  });
}
