import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type IdpStack, startIdpStack } from "../../integration/idp/idp-stack.ts";
import { type KeyPair, keyPair } from "../../integration/saml/key-pair.ts";
import { entityId } from "../../integration/saml/saml-stack.ts";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import type { ProviderProgram } from "./provider-program.ts";
import { installPysaml2, startPythonProvider } from "./pysaml2-provider.ts";

const encryptions = ["none", "aes256-gcm", "aes128-gcm", "aes256-cbc", "aes128-cbc"] as const;
const alice = { username: "alice@example.test", password: "alice-demo-password" };
const success = "urn:oasis:names:tc:SAML:2.0:status:Success";
const idOf = (encryption: string): string => `urn:test:pysaml2:${encryption}`;
const originOf = (encryption: string): string => `https://${encryption}.example.test`;
const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let idp: IdpStack;
let sp: KeyPair;
let python: string;
let metadata: string;

// It installs pysaml2.
beforeAll(async () => {
  folder = await scratchFolder();
  sp = await keyPair(folder.path, "sp");
  python = await installPysaml2(folder.path);
  idp = await startIdpStack({
    identity: {
      saml: {
        enabled: true,
        entity_id: entityId,
        persistent_id_secret: "a-secret-that-is-kept-for-ever",
        service_providers: encryptions.map((encryption) => ({
          entity_id: idOf(encryption),
          acs_url: `${originOf(encryption)}/acs`,
          slo_url: `${originOf(encryption)}/slo`,
          cert: sp.cert,
          encryption,
          authn_requests_signed: true,
          logout_requests_signed: true,
          allowed_attributes: ["mail", "displayName"],
          attribute_preset: "urn_oid",
        })),
      },
    },
  });
  metadata = join(folder.path, "idp.xml");
  await writeFile(metadata, (await createBrowser(idp.replicas).get("/saml/metadata")).text);
}, 300_000);

afterAll(async () => {
  await idp?.[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function startProvider(encryption: string): Promise<ProviderProgram> {
  const provider = startPythonProvider(python);
  const [key, cert] = [join(folder.path, "sp.key"), join(folder.path, "sp.crt")];
  const names = { entityId: idOf(encryption), origin: originOf(encryption), idp: entityId };
  await provider.ask({ do: "start", ...names, key, cert, metadata });
  return provider;
}

/** Signs in to the service provider. @returns the algorithm of the content, and what its library reads from the response */
async function signIn(browser: Browser, provider: ProviderProgram) {
  const { location } = await provider.ask({ do: "login" });
  const form = await browser.open(pathOf(String(location)));
  const answer = await browser.submit(form, alice);
  const page: Page = await browser.open(answer.location ?? "");
  const response = hiddenFields(page)["SAMLResponse"] ?? "";
  const xml = Buffer.from(response, "base64").toString();
  const algorithm = /<xenc:EncryptionMethod Algorithm="[^"]+#([^"]+)"/.exec(xml)?.[1] ?? "none";
  return { algorithm, known: await provider.ask({ do: "acs", response }) };
}

describe.each(encryptions)("pysaml2 with content encryption %s", (encryption) => {
  test("signs in, and its logout ends the session", async () => {
    await using provider = await startProvider(encryption);
    const browser = createBrowser(idp.replicas);
    const { algorithm, known } = await signIn(browser, provider);
    expect(known).toMatchObject({ attributes: { mail: ["alice@example.test"] } });
    expect(algorithm).toBe(encryption);
    const { location } = await provider.ask({ do: "logout" });
    const answer = await browser.get(pathOf(String(location)));
    const response = new URL(answer.location ?? "").searchParams.get("SAMLResponse");
    expect(await provider.ask({ do: "logout_response", response })).toEqual({ status: success });
    expect((await browser.get("/mfa/sessions")).status).toBe(401);
  });

  test("verifies and answers a logout that starts at Postern", async () => {
    await using provider = await startProvider(encryption);
    const browser = createBrowser(idp.replicas);
    await signIn(browser, provider);
    const leaving = await browser.submit(await browser.open("/logout"), {});
    const place = leaving.location ?? "";
    const [, frame = ""] = /<iframe src="([^"]+)"/.exec((await browser.get(place)).text) ?? [];
    const { searchParams: query } = new URL((await browser.get(frame.replaceAll("&amp;", "&"))).location ?? "");
    const { location } = await provider.ask({
      do: "logout_request",
      request: query.get("SAMLRequest"),
      relayState: query.get("RelayState"),
      sigAlg: query.get("SigAlg"),
      signature: query.get("Signature"),
    });
    expect((await browser.get(pathOf(String(location)))).status).toBe(204);
    expect((await browser.get(place)).location).toBe("/logged_out");
  });
});
