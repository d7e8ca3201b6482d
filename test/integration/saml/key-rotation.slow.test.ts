import { type KeyObject, X509Certificate } from "node:crypto";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SamlKeys } from "../../../services/idp/src/saml/keys/saml-keys.ts";
import { createSamlKeyStore } from "../../../services/idp/src/saml/keys/saml-keys-redis.ts";
import { metadataOf } from "../../../services/idp/src/saml/xml/metadata-xml.ts";
import { verifiedBytes } from "../../../services/idp/src/saml/xml/verify-signature.ts";
import { testRedis } from "../../support/redis-content.ts";

const hour = 3_600_000;
const rotation = { intervalMs: 1000 * hour, publishMs: 100 * hour };
let server: RedisServer;
let redis: RedisClient;
let nowMs = 0;
let keysCreated = 0;

beforeAll(async () => {
  server = await spawnRedis();
  redis = await testRedis(server.port);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

function replica(): () => Promise<SamlKeys> {
  return createSamlKeyStore({
    redis,
    keyPrefix: "test:",
    keys: createKeyRing([new Secret("a-secret-of-sixteen")], "saml"),
    clock: { now: () => nowMs },
    rotation,
    name: "test",
    onCreated: () => {
      keysCreated += 1;
    },
  });
}

function metadataWith(keys: SamlKeys): string {
  return metadataOf(
    {
      entityId: "urn:idp",
      id: "_m",
      addresses: { sso: "https://idp.example.test/saml/sso", slo: "https://idp.example.test/saml/slo" },
      hasSlo: true,
      wantsSignedRequests: false,
      certificates: keys.published,
      validUntil: "2040-01-01T00:00:00Z",
    },
    keys,
  );
}

/** The certificates in the metadata. */
function keysIn(metadata: string): readonly KeyObject[] {
  const role = metadata.slice(metadata.indexOf("<md:IDPSSODescriptor"));
  return [...role.matchAll(/<ds:X509Certificate>([^<]+)/g)].map(
    ([, certificate = ""]) => new X509Certificate(Buffer.from(certificate, "base64")).publicKey,
  );
}

function verify(documents: readonly string[], pinned: readonly KeyObject[]): void {
  for (const document of documents) expect(verifiedBytes(document, pinned)).toContain("urn:idp");
}

test("metadata that was read before a rotation verifies both replicas after it", async () => {
  const replicas = [replica(), replica()];
  const at = async (hours: number): Promise<readonly string[]> => {
    nowMs = hours * hour;
    return (await Promise.all(replicas.map((keys) => keys()))).map(metadataWith);
  };
  const first = await at(0);
  const [old] = first.map(keysIn);
  if (old === undefined) throw new Error("no key");
  expect([keysCreated, old.length]).toEqual([1, 1]);
  verify(first, old);

  const announced = await at(1000);
  expect(keysCreated).toBe(2);
  for (const document of announced) expect(keysIn(document)).toHaveLength(2);
  verify(announced, old);
  verify(await at(1099), old);

  const switched = await at(1101);
  expect(() => verify(switched, old)).toThrow("no configured key");
  const pinned = keysIn(announced[0] ?? "");
  verify(switched, pinned);
  for (const document of switched) expect(keysIn(document)).toHaveLength(2);

  const alone = await at(1201);
  for (const document of alone) expect(keysIn(document)).toHaveLength(1);
  verify(alone, pinned);
  expect(keysCreated).toBe(2);
});
