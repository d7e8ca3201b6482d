import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/platform/http";
import { freePort, poll, scratchFolder, spawnRedis } from "@postern/shared/testing";
import { expect, test } from "vitest";
import { type ServiceProcess, startService, untilReady } from "../../support/service-process.ts";
import { assertionSecret, defaultTree, merged } from "../../support/stack-config.ts";

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
  await using owned = new AsyncDisposableStack();
  const { path: folder } = owned.use(await scratchFolder());
  const [httpPort, adminPort, idpPort, redisPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const natsUrl = `nats://127.0.0.1:${await freePort()}`;
  const redisUrl = `redis://127.0.0.1:${redisPort}/0`;
  const client = { client_id: "web", client_secret: "web-secret", scopes: ["service:authenticate"] };
  const grants = { redirect_uris: [], grant_types: ["client_credentials"] };
  const identity = {
    oidc: { enabled: true, issuer: `http://127.0.0.1:${httpPort}`, clients: [{ ...client, ...grants }] },
  };
  const places = { folder, httpPort, adminPort, idpPort, natsUrl, redisUrl };
  const configFile = join(folder, "config.yaml");
  await writeFile(configFile, JSON.stringify(merged(defaultTree(places), { identity })));
  const idp = owned.use(await startService("idp", { configFile, privatePort: await freePort() }));
  const url = `http://127.0.0.1:${idpPort}`;

  await poll("the answer 500", async () => (await fetch(`${url}/oidc/jwks`).catch(() => undefined))?.status === 500);
  await poll("the log line", () => levelsAt(idp, "/oidc/jwks").length > 0);
  const redis = await spawnRedis({ port: redisPort });
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
