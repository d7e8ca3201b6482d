import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type IdpStack, startIdpStack } from "../../integration/idp/idp-stack.ts";
import { keyPair } from "../../integration/saml/key-pair.ts";
import { entityId } from "../../integration/saml/saml-stack.ts";
import { type Browser, createBrowser, hiddenFields } from "../../support/browser.ts";
import { buildCrewjam } from "./crewjam-provider.ts";
import { type ProviderProgram, startProviderProgram } from "./provider-program.ts";

// The library does not decrypt AES-256-GCM, and its metadata does not list it.
const encryptions = ["none", "aes128-gcm", "aes256-cbc", "aes128-cbc", "auto"] as const;
const alice = { username: "alice@example.test", password: "alice-demo-password" };
const idOf = (encryption: string): string => `urn:test:crewjam:${encryption}`;
const originOf = (encryption: string): string => `https://${encryption}.example.test`;
const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

const owned = new AsyncDisposableStack();
const providers = new Map<string, ProviderProgram>();
let idp: IdpStack;

let folder = "";
let program = "";

/** A service provider whose metadata is in a file, for Postern to import. */
async function startProvider(encryption: string): Promise<string> {
  const provider = owned.use(startProviderProgram(program, []));
  providers.set(encryption, provider);
  const [key, cert] = [join(folder, "sp.key"), join(folder, "sp.crt")];
  const names = { entityId: idOf(encryption), origin: originOf(encryption) };
  const { metadata } = await provider.ask({ do: "start", ...names, key, cert });
  const file = join(folder, `${encryption}.xml`);
  await writeFile(file, String(metadata));
  return file;
}

beforeAll(async () => {
  folder = owned.use(await scratchFolder()).path;
  program = await buildCrewjam(folder);
  await keyPair(folder, "sp");
  const entries = encryptions.map(async (encryption) => ({
    entity_id: idOf(encryption),
    metadata: { file: await startProvider(encryption) },
    encryption,
    authn_requests_signed: true,
    logout_requests_signed: true,
    logout_responses_signed: true,
    allowed_attributes: ["mail", "displayName"],
    attribute_preset: "urn_oid",
  }));
  const common = { enabled: true, entity_id: entityId, persistent_id_secret: "a-secret-that-is-kept-for-ever" };
  idp = owned.use(
    await startIdpStack({ identity: { saml: { ...common, service_providers: await Promise.all(entries) } } }),
  );
  const metadata = join(folder, "idp.xml");
  await writeFile(metadata, (await createBrowser(idp.replicas).get("/saml/metadata")).text);
  for (const provider of providers.values()) await provider.ask({ do: "trust", metadata });
}, 300_000);

afterAll(() => owned.disposeAsync());

function providerOf(encryption: string): ProviderProgram {
  const provider = providers.get(encryption);
  if (provider === undefined) throw new Error("there is no such service provider");
  return provider;
}

/** Signs in to the service provider. @returns the algorithm of the content, and what its library reads from the response */
async function signIn(browser: Browser, provider: ProviderProgram) {
  const { location } = await provider.ask({ do: "login" });
  const form = await browser.open(pathOf(String(location)));
  const page = await browser.open((await browser.submit(form, alice)).location ?? "");
  const response = hiddenFields(page)["SAMLResponse"] ?? "";
  const xml = Buffer.from(response, "base64").toString();
  const algorithm = /<xenc:EncryptionMethod Algorithm="[^"]+#([^"]+)"/.exec(xml)?.[1] ?? "none";
  return { algorithm, known: await provider.ask({ do: "acs", response }) };
}

describe.each(encryptions)("crewjam/saml with content encryption %s", (encryption) => {
  test("signs in with a signed request, and its logout ends the session", async () => {
    const provider = providerOf(encryption);
    const browser = createBrowser(idp.replicas);
    const { algorithm, known } = await signIn(browser, provider);
    expect(known).toEqual({ attributes: { mail: ["alice@example.test"], displayName: ["Alice Example"] } });
    expect(algorithm).toBe(encryption === "auto" ? "aes256-cbc" : encryption);
    const { message } = await provider.ask({ do: "logout" });
    // The request names no session, and a browser withholds the session's cookie from the form of another site.
    const posted = await createBrowser(idp.replicas).post("/saml/slo", { SAMLRequest: String(message) });
    const answer = await browser.get(posted.location ?? "");
    const response = hiddenFields(answer)["SAMLResponse"];
    expect(await provider.ask({ do: "logout_response", response })).toEqual({ status: "valid" });
    expect((await browser.get("/mfa/sessions")).status).toBe(401);
  });

  test("answers a logout that starts at Postern", async () => {
    const provider = providerOf(encryption);
    const browser = createBrowser(idp.replicas);
    await signIn(browser, provider);
    const place = (await browser.submit(await browser.open("/logout"), {})).location ?? "";
    const [, frame = ""] = /<iframe src="([^"]+)"/.exec((await browser.get(place)).text) ?? [];
    const request = hiddenFields(await browser.get(frame.replaceAll("&amp;", "&")));
    const { message } = await provider.ask({ do: "logout_request", request: request["SAMLRequest"] });
    const fields = { SAMLResponse: String(message), RelayState: request["RelayState"] ?? "" };
    expect((await browser.post("/saml/slo", fields)).status).toBe(204);
    expect((await browser.get(place)).location).toBe("/logged_out");
  });
});
