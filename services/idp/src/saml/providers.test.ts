import { type Config, loadConfig } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import { describe, expect, it } from "vitest";
import { type EntityFacts, readMetadata } from "./metadata/read-metadata.ts";
import { SamlRefusal } from "./protocol/refusal.ts";
import { createProviders, type Providers } from "./providers.ts";
import { keys, nowMs, sp } from "./testing/forge.ts";
import { entityOf } from "./testing/forge-metadata.ts";

const document = entityOf({ roleAttributes: ' AuthnRequestsSigned="true"' });
const [facts] = readMetadata(document, { keys: [], wanted: [sp], nowMs, maxBytes: 100_000 }).entities;

function identityConfig(more: object): Config["identity"] {
  const provider = { entity_id: sp, metadata: { file: "sp.xml" }, ...more };
  const tree = { identity: { saml: { service_providers: [provider] } } };
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config.identity;
}

function providersWith(more: object, entityFacts: EntityFacts | undefined = facts): Providers {
  const clock = { now: () => nowMs };
  const { saml, mfa_policy: mfaPolicy } = identityConfig(more);
  return createProviders(saml, () => entityFacts, clock, mfaPolicy);
}

function entityWith(methods: readonly (string | { algorithm: string; digest: string })[]): EntityFacts {
  if (facts === undefined) throw new Error("no facts");
  const encryptionMethods = methods.map((method) => ({
    digest: undefined,
    mask: undefined,
    ...(typeof method === "string" ? { algorithm: method } : method),
  }));
  return { ...facts, encryptionMethods };
}

describe("a service provider with metadata", () => {
  it("uses the metadata for values that are not configured", () => {
    const provider = providersWith({}).find(sp);
    expect(provider).toMatchObject({
      consumers: [{ url: "https://sp.example.test/two" }, { url: "https://sp.example.test/one" }],
      config: {
        slo_back_channel_url: "https://sp.example.test/slo/soap",
        name_id_format: "transient",
        authn_requests_signed: true,
      },
    });
    expect(provider?.logout.request).toEqual({ binding: "redirect", location: "https://sp.example.test/slo/redirect" });
    expect(provider?.keys).toHaveLength(2);
    expect(provider?.encryptionKey?.equals(keys.stranger.publicKey)).toBe(true);
    expect(provider?.mayOmitSignature("AuthnRequest")).toBe(false);
  });

  it("prefers configured values to the metadata", () => {
    const provider = providersWith({
      acs_url: "https://other.example.test/acs",
      slo_url: "https://other.example.test/slo",
      name_id_format: "email",
      encryption: "none",
      cert: keys.publicKey.export({ type: "spki", format: "pem" }),
    }).find(sp);
    expect(provider?.consumers.map(({ url }) => url)).toEqual(["https://other.example.test/acs"]);
    expect(provider?.config).toMatchObject({ name_id_format: "email" });
    expect(provider?.logout.request).toEqual({ binding: "redirect", location: "https://other.example.test/slo" });
    expect(provider?.keys).toHaveLength(1);
    expect(provider?.encryptionKey).toBeUndefined();
  });

  it("is rejected after its metadata expired, and temporarily unavailable before they were first read, whatever is configured", () => {
    const configured = { acs_url: "https://other.example.test/acs" };
    if (facts === undefined) throw new Error("no facts");
    const over = providersWith(configured, { ...facts, validUntilMs: nowMs });
    expect(over.find(sp)).toBeUndefined();
    expect(over.all).toEqual([]);
    expect(over.hasSoapLogout(sp)).toBe(true);
    expect(over.hasSoapLogout("urn:test:other")).toBe(false);
    expect(() => over.sender(sp)).toThrow(SamlRefusal);
    const clock = { now: () => nowMs };
    const { saml, mfa_policy: mfaPolicy } = identityConfig(configured);
    const awaited = createProviders(saml, () => undefined, clock, mfaPolicy);
    expect(() => awaited.sender(sp)).toThrow(AppError);
    expect(awaited.find(sp)).toBeUndefined();
    expect(awaited.sender("urn:nobody")).toBeUndefined();
  });

  it("must sign logout requests if its certificate is known, unless configured otherwise", () => {
    expect(providersWith({}).find(sp)?.mayOmitSignature("LogoutRequest")).toBe(false);
    const relaxed = providersWith({ allow_unsigned_logout_requests: true }).find(sp);
    expect(relaxed?.mayOmitSignature("LogoutRequest")).toBe(true);
    const bare = { ...entityWith([]), signingCertificates: [] };
    expect(providersWith({}, bare).find(sp)?.mayOmitSignature("LogoutRequest")).toBe(true);
  });

  const enc = "http://www.w3.org/2001/04/xmlenc#";
  const enc11 = "http://www.w3.org/2009/xmlenc11#";
  const [sha1, sha256] = ["http://www.w3.org/2000/09/xmldsig#sha1", `${enc}sha256`];
  it.each([
    ["no methods", [], "auto", `${enc}rsa-oaep-mgf1p`, sha1],
    ["only CBC", [`${enc}aes128-cbc`, `${enc}aes256-cbc`], "aes256-cbc", `${enc}rsa-oaep-mgf1p`, sha1],
    ["both modes", [`${enc}aes128-cbc`, `${enc11}aes128-gcm`], "aes128-gcm", `${enc}rsa-oaep-mgf1p`, sha1],
    ["only unsupported methods", [`${enc}tripledes-cbc`, `${enc}rsa-1_5`], "auto", `${enc}rsa-oaep-mgf1p`, sha1],
    ["another key transport", [{ algorithm: `${enc11}rsa-oaep`, digest: sha256 }], "auto", `${enc11}rsa-oaep`, sha256],
  ])(
    "receives assertions encrypted with the best method in its metadata: %s",
    (_what, methods, encryption, algorithm, digest) => {
      const found = providersWith({}, entityWith(methods)).find(sp);
      expect(found).toMatchObject({ config: { encryption }, keyTransport: { algorithm, digest } });
    },
  );
});
