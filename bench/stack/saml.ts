import { generateKeyPair, type KeyObject, sign } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateRawSync } from "node:zlib";
import { keyRingFromConfig } from "@postern/shared/assembly";
import { loadConfig } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/platform/http";
import { createRedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { freePort } from "@postern/testing";
import { SessionStore } from "../../services/idp/src/sessions/session-store-redis.ts";
import type { SignIn } from "../generator/sign-ins.ts";
import { configText } from "./config.ts";
import type { Servers } from "./servers.ts";
import { type RunningService, startService } from "./service.ts";

const issuer = "http://localhost:8080";
const entityId = "urn:bench:sp";
const acsUrl = "https://sp.example.test/acs";
const browsers = 256;

/** One identity provider with one service provider and signed-in browsers. */
export interface SamlBench extends AsyncDisposable {
  readonly idp: RunningService;
  readonly port: number;
  readonly signIns: SignIns;
}

/** Signed sign-in requests of signed-in browsers, each with its own ID. */
export type SignIns = (count: number) => Promise<readonly SignIn[]>;

export const samlKeyPair = () => promisify(generateKeyPair)("rsa", { modulusLength: 2048 });

/** `identity` with one service provider whose requests this key signs. */
export function samlIdentity(publicKey: KeyObject): object {
  const provider = {
    entity_id: entityId,
    acs_url: acsUrl,
    cert: publicKey.export({ type: "spki", format: "pem" }),
    authn_requests_signed: true,
    encryption: "none",
    allowed_attributes: ["mail", "displayName"],
  };
  const saml = { enabled: true, entity_id: `${issuer}/saml/metadata`, service_providers: [provider] };
  return { frontend: { enabled: true }, oidc: { issuer }, saml };
}

function configOf(servers: Servers, publicKey: KeyObject): string {
  const { natsUrl, redisPort } = servers;
  const tree: object = JSON.parse(
    configText({ httpPort: 1, namespace: "bench-saml", natsUrl, redisPort, backends: {} }),
  );
  return JSON.stringify({ ...tree, identity: samlIdentity(publicKey) });
}

/** Session cookies, as the sign-in pages would have created them. */
async function sessionCookies(text: string, redisPort: number): Promise<readonly string[]> {
  const loaded = loadConfig({ text, env: {}, readFile: () => "" });
  const keys = loaded.ok ? keyRingFromConfig(loaded.config, "browser-session") : undefined;
  if (!loaded.ok || keys === undefined) throw new Error("the configuration of the bench is wrong");
  const address = { host: "127.0.0.1", port: redisPort };
  const redis = createRedisClient(
    {
      topology: { kind: "standalone", address },
      database: 0,
      username: undefined,
      password: undefined,
      tls: undefined,
      connectTimeoutMs: 2000,
      commandTimeoutMs: 2000,
      maxRetries: 20,
      isBlocking: true,
      connectionName: "bench",
    },
    () => undefined,
  );
  const hourMs = 3_600_000;
  const lives = { absoluteMs: hourMs, idleMs: hourMs, rememberMs: 0 };
  const { prefix: keyPrefix } = loaded.config.storage.redis;
  const store = new SessionStore({
    redis,
    keyPrefix,
    keys,
    clock: systemClock,
    lives,
    isRefused: () => false,
  });
  const sessions = await Promise.all(
    Array.from({ length: browsers }, (_, index) => {
      const account = `user${index}@example.test`;
      const attributes = { mail: [account], displayName: [`User ${index}`] };
      const loginTs = Math.floor(Date.now() / 1000);
      return store.create({
        accountId: `account-${index}`,
        account,
        attributes,
        loginTs,
        amr: ["pwd"],
        remember: false,
      });
    }),
  );
  redis.disconnect();
  return sessions.map(({ sid }) => `service_session=${sid}`);
}

const signed = promisify(sign);

async function requestPath(key: KeyObject, serial: number): Promise<string> {
  const names = `xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion"`;
  const head = `ID="_bench${process.pid}-${serial}" Version="2.0" IssueInstant="${new Date().toISOString()}"`;
  const xml = `<p:AuthnRequest ${names} ${head} Destination="${issuer}/saml/sso" AssertionConsumerServiceURL="${acsUrl}"><a:Issuer>${entityId}</a:Issuer></p:AuthnRequest>`;
  const message = encodeURIComponent(deflateRawSync(xml).toString("base64"));
  const algorithm = encodeURIComponent("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256");
  const octets = `SAMLRequest=${message}&RelayState=state&SigAlg=${algorithm}`;
  const signature = await signed("sha256", Buffer.from(octets), key);
  return `/saml/sso?${octets}&Signature=${encodeURIComponent(signature.toString("base64"))}`;
}

/** @param text the configuration of the identity provider */
export async function createSignIns(text: string, redisPort: number, key: KeyObject): Promise<SignIns> {
  const cookies = await sessionCookies(text, redisPort);
  const secret = new Secret("bench-caller-assertion-secret-of-no-worth");
  const vouch = createCallerSigner({ secret, ttlSeconds: 60 });
  let serial = 0;
  return async (count) => {
    const caller = { method: "none", scopes: [], clientIp: "192.0.2.7", session: "bench" } as const;
    const assertion = await vouch(caller, "idp");
    return Promise.all(
      Array.from({ length: count }, async () => {
        serial += 1;
        const cookie = cookies[serial % cookies.length] ?? "";
        const headers = { [callerAssertionHeader]: assertion, cookie, "user-agent": "bench" };
        return { path: await requestPath(key, serial), headers };
      }),
    );
  };
}

export async function startSamlBench(servers: Servers): Promise<SamlBench> {
  const { privateKey, publicKey } = await samlKeyPair();
  const text = configOf(servers, publicKey);
  const port = await freePort();
  const configFile = join(servers.folder, `saml-${port}.yaml`);
  await writeFile(configFile, text);
  const signIns = await createSignIns(text, servers.redisPort, privateKey);
  const env = { SERVICE_RUNTIME_SERVICES_IDP_ADDRESS: `127.0.0.1:${port}` };
  const idp = await startService("idp", { configFile, folder: servers.folder, env });
  return { idp, port, signIns, [Symbol.asyncDispose]: () => idp[Symbol.asyncDispose]() };
}
