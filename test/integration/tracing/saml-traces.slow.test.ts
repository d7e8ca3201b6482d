import { SAML } from "@node-saml/node-saml";
import { poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { startTraceReceiver, type TraceReceiver } from "../../support/trace-receiver.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";
import { keyPair } from "../saml/key-pair.ts";
import { entityId, slo, sso } from "../saml/saml-stack.ts";

const traceId = "1af7651916cd43dd8448eb211c80319e";
const traceparent = `00-${traceId}-b7ad6b7169203332-01`;
const alice = { username: "alice@example.test", password: "alice-demo-password" };
const relayState = "canary-relay-5a1e";

let receiver: TraceReceiver;
let idp: IdpStack;
let sp: SAML;

beforeAll(async () => {
  await using folder = await scratchFolder();
  const { key, cert } = await keyPair(folder.path, "sp");
  const acsUrl = "https://sp.example.test/acs";
  receiver = await startTraceReceiver();
  idp = await startIdpStack({
    observability: { tracing: { enabled: true, endpoint: receiver.url, sampler_ratio: 0 } },
    runtime: { servers: { http: { trusted_proxies: ["127.0.0.1"] } } },
    identity: {
      saml: {
        enabled: true,
        entity_id: entityId,
        persistent_id_secret: "a-secret-that-is-kept-for-ever",
        service_providers: [
          { entity_id: "urn:test:sp", acs_url: acsUrl, slo_url: acsUrl, cert, authn_requests_signed: true },
        ],
      },
    },
  });
  sp = new SAML({
    issuer: "urn:test:sp",
    callbackUrl: acsUrl,
    entryPoint: sso,
    logoutUrl: slo,
    idpCert: "unused",
    disableRequestedAuthnContext: true,
    privateKey: key,
    publicCert: cert,
    signatureAlgorithm: "sha256",
  });
});

afterAll(async () => {
  await idp[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const names = (): readonly string[] =>
  receiver.spans.filter((span) => span.traceId === traceId).map(({ service, name }) => `${service} ${name}`);

const isThere = (start: string): boolean => names().some((name) => name.startsWith(`postern-${start}`));

const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

test("a SAML sign-in and logout are in the trace of a trusted proxy, without messages, names and secrets", async () => {
  const browser = createBrowser([idp.stack.url]);
  const get = (path = ""): Promise<Page> => browser.get(path, { traceparent });
  const request = pathOf(await sp.getAuthorizeUrlAsync(relayState, undefined, {}));
  const login = await get((await get(request)).location);
  const signedIn = await browser.send(login.url, {
    method: "POST",
    body: new URLSearchParams({ ...hiddenFields(login), ...alice }),
    headers: { traceparent },
  });
  const { SAMLResponse: response = "" } = hiddenFields(await get(signedIn.location));
  expect(response).not.toBe("");
  const cookie = browser.cookies.get("service_session") ?? "";
  const [nameID, sessionIndex] = ["canary-name-9c1d", "_canary-session-2b7f"];
  const nameIDFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
  const profile = { issuer: entityId, nameID, nameIDFormat, sessionIndex };
  const logout = pathOf(await sp.getLogoutUrlAsync(profile, relayState, {}));
  expect((await get(logout)).status).toBeLessThan(400);

  const expected = ["gateway GET /saml", "idp GET /saml/sso", "idp POST /login", "idp GET /saml/slo", "idp redis "];
  await poll(
    "the spans",
    () => expected.every(isThere) && names().includes("postern-auth-engine auth-engine/authenticate"),
  );
  const text = receiver.texts.join("\n");
  const parameters = [request, logout].flatMap((path) => [...new URL(path, sso).searchParams.values()]);
  const secrets = [...Object.values(alice), relayState, response, nameID, sessionIndex, cookie, ...parameters];
  expect(secrets.filter((secret) => secret.length < 4)).toEqual([]);
  expect(secrets.filter((secret) => text.includes(secret) || text.includes(encodeURIComponent(secret)))).toEqual([]);
});
