import { type Config, loadConfig } from "@postern/shared/config";
import { AppError } from "@postern/shared/errors";
import { describe, expect, it } from "vitest";
import type { EntityFacts } from "./metadata/entity-facts.ts";
import { readMetadata } from "./metadata/read-metadata.ts";
import { createProviders, type Providers } from "./providers.ts";
import { SamlRefusal } from "./refusal.ts";
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

function providersWith(more: object, told: EntityFacts | undefined = facts): Providers {
  const clock = { now: () => nowMs };
  const { saml, mfa_policy: mfaPolicy } = identityConfig(more);
  return createProviders(saml, { factsOf: () => told, clock, mfaPolicy });
}

describe("a service provider with metadata", () => {
  it("has from them what is not configured", () => {
    const provider = providersWith({}).find(sp);
    expect(provider).toMatchObject({
      consumers: [{ url: "https://sp.example.test/two" }, { url: "https://sp.example.test/one" }],
      config: {
        slo_url: "https://sp.example.test/slo/redirect",
        slo_back_channel_url: "https://sp.example.test/slo/soap",
        name_id_format: "transient",
        authn_requests_signed: true,
      },
    });
    expect(provider?.keys).toHaveLength(2);
    expect(provider?.encryptionKey?.equals(keys.stranger.publicKey)).toBe(true);
    expect(provider?.mayOmitSignature("AuthnRequest")).toBe(false);
  });

  it("has what is configured before them", () => {
    const provider = providersWith({
      acs_url: "https://other.example.test/acs",
      slo_url: "https://other.example.test/slo",
      name_id_format: "email",
      encryption: "none",
      cert: keys.publicKey.export({ type: "spki", format: "pem" }),
    }).find(sp);
    expect(provider?.consumers.map(({ url }) => url)).toEqual(["https://other.example.test/acs"]);
    expect(provider?.config).toMatchObject({ slo_url: "https://other.example.test/slo", name_id_format: "email" });
    expect(provider?.keys).toHaveLength(1);
    expect(provider?.encryptionKey).toBeUndefined();
  });

  it("is refused once they are over, and undecided while they were never there, whatever is configured", () => {
    const configured = { acs_url: "https://other.example.test/acs" };
    if (facts === undefined) throw new Error("no facts");
    const over = providersWith(configured, { ...facts, validUntilMs: nowMs });
    expect(over.find(sp)).toBeUndefined();
    expect(over.all).toEqual([]);
    expect(() => over.sender(sp)).toThrow(SamlRefusal);
    const clock = { now: () => nowMs };
    const { saml, mfa_policy: mfaPolicy } = identityConfig(configured);
    const awaited = createProviders(saml, { factsOf: () => undefined, clock, mfaPolicy });
    expect(() => awaited.sender(sp)).toThrow(AppError);
    expect(awaited.find(sp)).toBeUndefined();
    expect(awaited.sender("urn:nobody")).toBeUndefined();
  });
});
