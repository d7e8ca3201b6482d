import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type IdpStack, startIdpStack } from "../../integration/idp/idp-stack.ts";
import { keyPair } from "../../integration/saml/key-pair.ts";
import { entityId } from "../../integration/saml/saml-stack.ts";
import { type Browser, createBrowser, hiddenFields } from "../../support/browser.ts";
import type { ProviderProgram } from "./provider-program.ts";
import { installSpring, startSpringProvider } from "./spring-provider.ts";

const encryptions = ["none", "aes256-gcm", "aes128-gcm", "aes256-cbc", "aes128-cbc"] as const;
const alice = { username: "alice@example.test", password: "alice-demo-password" };
const idOf = (encryption: string): string => `urn:test:spring:${encryption}`;
const originOf = (encryption: string): string => `https://${encryption}.example.test`;
const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

const owned = new AsyncDisposableStack();
let folder = "";
let libraries = "";
let metadata = "";
let idp: IdpStack;

// It installs Spring Security.
beforeAll(async () => {
  folder = owned.use(await scratchFolder()).path;
  const sp = await keyPair(folder, "sp");
  libraries = await installSpring(folder);
  idp = owned.use(
    await startIdpStack({
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
            logout_responses_signed: true,
            allowed_attributes: ["mail", "displayName"],
            attribute_preset: "urn_oid",
          })),
        },
      },
    }),
  );
  metadata = join(folder, "idp.xml");
  await writeFile(metadata, (await createBrowser(idp.replicas).get("/saml/metadata")).text);
}, 300_000);

afterAll(() => owned.disposeAsync());

async function startProvider(encryption: string): Promise<ProviderProgram> {
  const provider = startSpringProvider(libraries);
  const [key, cert] = [join(folder, "sp.key"), join(folder, "sp.crt")];
  await provider.ask({ do: "start", entityId: idOf(encryption), origin: originOf(encryption), key, cert, metadata });
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

describe.each(encryptions)("Spring Security with content encryption %s", (encryption) => {
  test("signs in with a signed request, and its logout ends the session", async () => {
    await using provider = await startProvider(encryption);
    const browser = createBrowser(idp.replicas);
    const { algorithm, known } = await signIn(browser, provider);
    const values: readonly unknown[] = Object.values(Object(known["attributes"])).flat();
    expect(new Set(values)).toEqual(new Set(["Alice Example", alice.username]));
    expect(algorithm).toBe(encryption);
    const { location } = await provider.ask({ do: "logout" });
    const answer = await browser.get(pathOf(String(location)));
    expect(await provider.ask({ do: "logout_response", location: answer.location ?? "" })).toEqual({ errors: [] });
    expect((await browser.get("/mfa/sessions")).status).toBe(401);
  });

  test("verifies and answers a logout that starts at Postern", async () => {
    await using provider = await startProvider(encryption);
    const browser = createBrowser(idp.replicas);
    await signIn(browser, provider);
    const place = (await browser.submit(await browser.open("/logout"), {})).location ?? "";
    const [, frame = ""] = /<iframe src="([^"]+)"/.exec((await browser.get(place)).text) ?? [];
    const request = (await browser.get(frame.replaceAll("&amp;", "&"))).location ?? "";
    const { errors, location } = await provider.ask({ do: "logout_request", location: request });
    expect(errors).toEqual([]);
    expect((await browser.get(pathOf(String(location)))).status).toBe(204);
    expect((await browser.get(place)).location).toBe("/logged_out");
  });
});
