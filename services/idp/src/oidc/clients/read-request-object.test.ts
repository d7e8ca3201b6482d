import { generateKeyPairSync } from "node:crypto";
import { loadConfig } from "@postern/shared/platform/config";
import fc from "fast-check";
import { SignJWT, UnsecuredJWT } from "jose";
import { expect, test } from "vitest";
import { createRequestObjects } from "../request-objects/unpack-request.ts";
import { oidcSettings } from "../settings/oidc-settings.ts";
import { clientPolicies } from "./clients.ts";
import { createReadRequestObject } from "./read-request-object.ts";

const issuer = "https://id.example.test";
const nowSeconds = 1_800_000_000;
const keys = generateKeyPairSync("ed25519");
const jwks = JSON.stringify({ keys: [keys.publicKey.export({ format: "jwk" })] });

function requestObjects() {
  const rules = { redirect_uris: ["https://client.example.test/"] };
  const tree = {
    storage: { redis: { encryption_secret: "a-secret-of-16-letters" } },
    identity: {
      oidc: {
        enabled: true,
        issuer,
        clients: [
          { ...rules, client_id: "signs", jwks },
          { ...rules, client_id: "unsigned", request_object_signing_alg: "none" },
        ],
      },
    },
  };
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const policies = clientPolicies(oidcSettings(loaded.config));
  const keySets = { find: async () => [], findAnew: async () => [] };
  const clock = { now: () => nowSeconds * 1000 };
  const read = createReadRequestObject(
    async (id) => policies.get(id),
    () => keySets,
    issuer,
    clock,
  );
  return createRequestObjects(read, async () => undefined, issuer);
}

const objects = requestObjects();
const unpack = (request: string, client: string) =>
  objects.unpack(new URLSearchParams({ client_id: client, request }), client);

test("no text is accepted without the client's signature, and none is an error", async () => {
  const part = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.json({ maxDepth: 2 }).map((text) => Buffer.from(text).toString("base64url")),
    fc.constantFrom("none", "EdDSA", "HS256").map((alg) => Buffer.from(JSON.stringify({ alg })).toString("base64url")),
  );
  const text = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("."));
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom("signs", "unknown"), async (request, client) => {
      const { state, params } = await unpack(request, client);
      expect(["signed", "unsigned", ""]).not.toContain(state);
      // The provider refuses what it receives in its place.
      expect(params.get("request")?.endsWith(".refused")).toBe(true);
    }),
  );
});

test("a changed byte of a signed object makes it invalid", async () => {
  const claims = { client_id: "signs", scope: "openid" };
  const object = await new SignJWT(claims).setProtectedHeader({ alg: "EdDSA" }).sign(keys.privateKey);
  expect((await unpack(object, "signs")).state).toBe("signed");
  await fc.assert(
    fc.asyncProperty(fc.nat(object.length - 3), fc.constantFrom("A", "b", "0", "_"), async (at, letter) => {
      fc.pre(object[at] !== letter && object[at] !== ".");
      const changed = object.slice(0, at) + letter + object.slice(at + 1);
      expect((await unpack(changed, "signs")).state).not.toBe("signed");
    }),
  );
});

test("members of any type become parameters, and no parameter beside the object remains", async () => {
  const reserved = new Set([
    "client_id",
    "sub",
    "iss",
    "aud",
    "exp",
    "nbf",
    "iat",
    "jti",
    "request",
    "request_uri",
    "__proto__",
  ]);
  const names = fc.string({ minLength: 1, maxLength: 8 }).filter((name) => !reserved.has(name));
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant({ id_token: { email: null } }));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(names, value, { noNullPrototype: true }), async (members) => {
      const object = new UnsecuredJWT({ ...members, client_id: "unsigned" }).encode();
      const outer = { client_id: "unsigned", client_secret: "s", request: object, beside: "x" };
      const { state, params } = await objects.unpack(new URLSearchParams(outer), "unsigned");
      expect(state).toBe("unsigned");
      const expected = Object.entries(members).filter(([name]) => !name.startsWith("client_"));
      for (const [name, member] of expected) {
        expect(params.get(name)).toBe(typeof member === "string" ? member : JSON.stringify(member));
      }
      expect([...params.keys()].toSorted()).toEqual(
        [...expected.map(([name]) => name), "client_id", "client_secret"].toSorted(),
      );
    }),
  );
});

test.each([
  [{ client_id: "signs" }, "signed"],
  [{ client_id: "signs", resource: ["urn:a", "urn:b"] }, "signed"],
  [{ client_id: "other" }, "wrong_client"],
  [{ client_id: "signs", sub: "signs" }, "wrong_client"],
  [{ client_id: "signs", request: "a" }, "nested"],
  [{ client_id: "signs", exp: nowSeconds - 31 }, "wrong_signature_or_claims"],
  [{ client_id: "signs", exp: nowSeconds - 29 }, "signed"],
  [{ client_id: "signs", iss: "other" }, "wrong_signature_or_claims"],
  [{ client_id: "signs", aud: ["https://a.test", issuer] }, "signed"],
])("an object with %j is %s", async (claims, state) => {
  const object = await new SignJWT(claims).setProtectedHeader({ alg: "EdDSA" }).sign(keys.privateKey);
  expect((await unpack(object, "signs")).state).toBe(state);
});
