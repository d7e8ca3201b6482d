import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import { type EntityFacts, readMetadata } from "../metadata/read-metadata.ts";
import { createProviders } from "../providers.ts";
import { nowMs, sp } from "../testing/forge.ts";
import { entityOf } from "../testing/forge-metadata.ts";
import { createSoapDelivery } from "./soap-delivery.ts";
import type { SoapLogout } from "./soap-logouts-redis.ts";

const [facts] = readMetadata(entityOf({}), { keys: [], wanted: [sp], nowMs, maxBytes: 100_000 }).entities;
const delivery: SoapLogout = {
  entityId: sp,
  nameId: { format: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient", value: "name" },
  sessionIndex: "index",
  endedMs: nowMs,
};

/** Attempts the delivery once. @returns what became of it */
async function attempted(entityFacts: EntityFacts | undefined, timeMs: number): Promise<readonly string[]> {
  const tree = { identity: { saml: { service_providers: [{ entity_id: sp, metadata: { file: "sp.xml" } }] } } };
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { saml, mfa_policy: mfaPolicy } = loaded.config.identity;
  const clock = { now: () => timeMs };
  const providers = createProviders(saml, () => entityFacts, clock, mfaPolicy);
  const ends: string[] = [];
  const soap = createSoapDelivery({
    deliveries: {
      add: async () => undefined,
      addClaimed: async (added) => added.map((one) => ({ id: "1", delivery: one, attempts: 0 })),
      claim: async () => [],
      settle: async () => void ends.push("settled"),
      retry: async () => void ends.push("retried"),
    },
    transactions: { note: async () => undefined },
    providers: () => providers,
    keys: () => Promise.reject(new Error("no key is needed")),
    send: async () => "done",
    report: ({ result }) => void ends.push(result),
    logger: { warn: () => undefined, error: () => undefined },
    sharedClock: clock,
    isReady: () => true,
  });
  await (await soap.deliverNow([delivery])).attempted;
  await soap.close();
  return ends;
}

test("a logout is retried while the metadata of the service provider is not loaded", async () => {
  expect(await attempted(undefined, nowMs)).toEqual(["retried", "retried"]);
});

test("a logout is retried while the metadata of the service provider has expired", async () => {
  if (facts === undefined) throw new Error("no facts");
  expect(await attempted({ ...facts, validUntilMs: nowMs - 1 }, nowMs)).toEqual(["retried", "retried"]);
});
