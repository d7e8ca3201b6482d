import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/platform/http";
import { freePort, poll } from "@postern/testing";
import { expect, test } from "vitest";
import { type ServiceProcess, untilReady } from "../../support/service-process.ts";
import { startStack } from "../../support/stack.ts";
import { assertionSecret } from "../../support/stack-config.ts";

/** The route's pattern, which the log contains. */
const sessions = "/api/v1/oidc/sessions/:user_id";

/** Log levels of the failed requests for a path. */
function levelsAt(idp: ServiceProcess, path: string): readonly unknown[] {
  const lines = idp.output().split("\n").slice(0, -1);
  return lines
    .filter((line) => line.startsWith("{"))
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter((line) => line["msg"] === "request failed" && line["path"] === path)
    .map((line) => line["level"]);
}

test("requests that fail before the keys were read are logged as info, later failures as errors", async () => {
  const httpPort = await freePort();
  const client = { client_id: "web", client_secret: "web-secret", scopes: ["service:authenticate"] };
  const grants = { redirect_uris: [], grant_types: ["client_credentials"] };
  const oidc = { enabled: true, issuer: `http://127.0.0.1:${httpPort}`, clients: [{ ...client, ...grants }] };
  await using stack = await startStack({
    engines: 0,
    gateway: false,
    httpPort,
    services: ["idp"],
    serversLater: true,
    settings: { identity: { oidc } },
  });
  const idp = stack.services.get("idp");
  if (idp === undefined) throw new Error("the stack has no idp");
  const url = stack.idpUrl;

  await poll("the answer 500", async () => (await fetch(`${url}/oidc/jwks`).catch(() => undefined))?.status === 500);
  await poll("the log line", () => levelsAt(idp, "/oidc/jwks").length > 0);
  const redis = await stack.startRedis();
  await poll("the keys", async () => (await fetch(`${url}/oidc/jwks`)).status === 200);
  await untilReady(idp);
  expect(new Set(levelsAt(idp, "/oidc/jwks"))).toEqual(new Set(["info"]));

  await redis[Symbol.asyncDispose]();
  const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 30 });
  const caller = { method: "basic", scopes: [], clientIp: "127.0.0.1", session: "test" } as const;
  const headers = { [callerAssertionHeader]: await sign(caller, "idp") };
  const answer = await fetch(`${url}/api/v1/oidc/sessions/alice`, { headers });
  expect(answer.status).toBe(500);
  await poll("the log line", () => levelsAt(idp, sessions).length > 0);
  expect(levelsAt(idp, sessions)).toEqual(["error"]);
});
