import { SAML } from "@node-saml/node-saml";
import { poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBrowser, hiddenFields } from "../../support/browser.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";
import { type KeyPair, keyPair } from "./key-pair.ts";
import { documentOf, entityId, type MetadataServer, startMetadataServer } from "./metadata-server.ts";
import { entityId as ourEntityId, slo, sso } from "./saml-stack.ts";

interface Keys {
  readonly sp: KeyPair;
  readonly next: KeyPair;
  readonly publisher: KeyPair;
  readonly unregistered: KeyPair;
}

let idp: IdpStack;
let source: MetadataServer;
let keys: Keys;

const alice = { username: "alice@example.test", password: "alice-demo-password" };

beforeAll(async () => {
  source = await startMetadataServer();
  await using folder = await scratchFolder();
  const newKeyPair = (name: string): Promise<KeyPair> => keyPair(folder.path, name);
  const [sp, next, publisher, unregistered] = await Promise.all([
    newKeyPair("sp"),
    newKeyPair("next"),
    newKeyPair("publisher"),
    newKeyPair("unregistered"),
  ]);
  keys = { sp, next, publisher, unregistered };
  source.publish(documentOf(keys));
  const provider = { entity_id: entityId, allowed_attributes: ["mail"] };
  idp = await startIdpStack(
    {
      identity: {
        saml: {
          enabled: true,
          entity_id: ourEntityId,
          persistent_id_secret: "a-secret-that-is-kept-for-ever",
          metadata: { refresh_interval: "1s", request_timeout: "2s", max_bytes: 262_144 },
          service_providers: [{ ...provider, metadata: { url: source.url, cert: publisher.cert } }],
        },
      },
    },
    { gateway: false, shape: "five" },
  );
});

afterAll(async () => {
  await idp[Symbol.asyncDispose]();
  await source[Symbol.asyncDispose]();
});

function provider({ key, cert }: KeyPair, callbackUrl = "https://sp.example.test/two", idpCert = "unused"): SAML {
  return new SAML({
    issuer: entityId,
    callbackUrl,
    entryPoint: sso,
    logoutUrl: slo,
    idpCert,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    privateKey: key,
    publicCert: cert,
    decryptionPvk: key,
    signatureAlgorithm: "sha256",
  });
}

async function requestOf(pair: KeyPair, callbackUrl?: string): Promise<string> {
  const url = await provider(pair, callbackUrl).getAuthorizeUrlAsync("state", undefined, {});
  return url.slice(new URL(url).origin.length);
}

/** The status that each replica returns for a new request. */
async function answers(pair: KeyPair, replicas: readonly string[] = idp.replicas): Promise<readonly number[]> {
  const pages = replicas.map(async (replica) => createBrowser([replica]).get(await requestOf(pair)));
  return (await Promise.all(pages)).map(({ status }) => status);
}

const all = (statuses: readonly number[], status: number): boolean => statuses.every((one) => one === status);

async function counted(series: string): Promise<readonly number[]> {
  const pages = await Promise.all([idp.first.metrics(), idp.second.metrics()]);
  return pages.map((page) => Number(new RegExp(`^${series} (\\S+)$`, "m").exec(page)?.[1] ?? Number.NaN));
}

const refreshes = (result: string): Promise<readonly number[]> =>
  counted(`service_idp_saml_metadata_refreshes_total{result="${result}"}`.replaceAll(/[{}]/g, "\\$&"));

/** Waits until both replicas have counted this result again. */
async function untilCounted(result: string): Promise<void> {
  const before = await refreshes(result);
  await poll(`metadata: ${result}`, async () => {
    const now = await refreshes(result);
    return now.every((count, index) => count > (before[index] ?? Infinity));
  });
}

describe("a service provider from a federation's metadata", () => {
  test("receives an assertion at the default address of the metadata, encrypted for the key in the metadata", async () => {
    const browser = createBrowser(idp.replicas);
    const login = await browser.open(await requestOf(keys.sp));
    const answer = await browser.submit(login, alice);
    const page = await browser.open(answer.location ?? "");
    expect(page.text).toContain('action="https://sp.example.test/two"');
    const xml = Buffer.from(hiddenFields(page)["SAMLResponse"] ?? "", "base64").toString();
    expect(xml).toContain("http://www.w3.org/2009/xmlenc11#aes256-gcm");
  });

  test("is rejected with another key, without the signature that the metadata requires, or with an unlisted address", async () => {
    expect(await answers(keys.unregistered)).toEqual([400, 400]);
    const browser = createBrowser(idp.replicas);
    expect((await browser.get((await requestOf(keys.sp)).replace(/&SigAlg=.*/, ""))).status).toBe(400);
    expect((await browser.get(await requestOf(keys.sp, "https://evil.example.test/"))).status).toBe(400);
  });

  test("receives assertions encrypted with the algorithms in its metadata", async () => {
    const xmlenc = "http://www.w3.org/2001/04/xmlenc#";
    source.publish(documentOf({ ...keys, encryption: [`${xmlenc}aes128-cbc`, `${xmlenc}rsa-oaep-mgf1p`] }));
    const browser = createBrowser([idp.replicas[0]]);
    const answer = await browser.submit(await browser.open(await requestOf(keys.sp)), alice);
    await browser.open(answer.location ?? "");
    const page = await poll("the algorithm of the metadata", async () => {
      const next = await browser.open(await requestOf(keys.sp));
      const xml = Buffer.from(hiddenFields(next)["SAMLResponse"] ?? "", "base64").toString();
      return xml.includes(`${xmlenc}aes128-cbc`) ? next : undefined;
    });
    const idpCert = /<ds:X509Certificate>([^<]+)/.exec((await browser.get("/saml/metadata")).text)?.[1] ?? "";
    const { profile } = await provider(keys.sp, undefined, idpCert).validatePostResponseAsync(hiddenFields(page));
    expect(profile?.issuer).toBe(ourEntityId);
    source.publish(documentOf(keys));
  });

  test("cannot be impersonated: an unsigned logout request is rejected", async () => {
    const browser = createBrowser(idp.replicas);
    const answer = await browser.submit(await browser.open(await requestOf(keys.sp)), alice);
    await browser.open(answer.location ?? "");
    const profile = { nameID: "anybody", nameIDFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient" };
    const about = { ...profile, issuer: entityId };
    const url = await provider(keys.sp).getLogoutUrlAsync(about, "", {});
    const unsigned = url.slice(new URL(url).origin.length).replace(/&SigAlg=.*/, "");
    expect((await browser.get(unsigned)).status).toBe(400);
    expect((await browser.get("/mfa/register/home")).status).toBe(200);
    const line = /"client":"urn:test:federated","reason":"signature_missing"/;
    await poll("the logged rejection", () => [idp.first, idp.second].some((one) => line.test(one.output())));
  });

  test("has its new key on every replica after the metadata changed", async () => {
    expect(await answers(keys.next)).toEqual([400, 400]);
    source.publish(documentOf({ ...keys, sp: keys.next }));
    await poll("the new key on both replicas", async () => all(await answers(keys.next), 302));
    expect(await answers(keys.sp)).toEqual([400, 400]);
  });

  test("does not change if the new metadata has a wrong signature, is too large, redirects or is unavailable", async () => {
    source.publish(documentOf({ sp: keys.unregistered, publisher: keys.unregistered }));
    await untilCounted("signature");
    source.publish("x".repeat(300_000));
    await untilCounted("too_large");
    const evil = documentOf({ ...keys, sp: keys.unregistered });
    source.answer(({ url }, response) => {
      if (url === "/elsewhere") response.writeHead(200).end(evil);
      else response.writeHead(302, { location: "/elsewhere" }).end();
    });
    await untilCounted("unreachable");
    source.answer((_request, response) => void response.writeHead(500).end());
    await untilCounted("unreachable");
    expect(source.requestedPaths).not.toContain("/elsewhere");
    expect(await answers(keys.unregistered)).toEqual([400, 400]);
    expect(await answers(keys.next)).toEqual([302, 302]);
    expect(all(await counted("service_idp_saml_metadata_unusable"), 0)).toBe(true);
    const ages = await counted("service_idp_saml_metadata_age_seconds");
    expect(Math.min(...ages)).toBeGreaterThan(1);
  });

  test("is known to a replica that starts while the source is unavailable", async () => {
    source.answer(({ socket }) => void socket.destroy());
    const third = await idp.stack.startReplica("idp");
    await using _ = third.process;
    expect(await answers(keys.next, [third.url])).toEqual([302]);
    expect(await answers(keys.sp, [third.url])).toEqual([400]);
  });

  test("is rejected once its metadata has expired, until there is new metadata", async () => {
    const validUntil = new Date(Date.now() + 2500).toISOString();
    source.publish(documentOf({ ...keys, attributes: ` validUntil="${validUntil}"` }));
    await poll("the new metadata", async () => all(await answers(keys.sp), 302));
    await poll("the expiry of the metadata", async () => all(await answers(keys.sp), 400));
    expect(await counted("service_idp_saml_metadata_unusable")).toEqual([1, 1]);
    source.publish(documentOf(keys));
    await poll("the metadata after the expiry", async () => all(await answers(keys.sp), 302));
  });
});
