import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@postern/testing";
import { runWrk } from "../generator/wrk.ts";
import { watchMemory } from "../measure/memory.ts";
import { measureRow, type Row, type RowId } from "../measure/row.ts";
import { identityConfig, introspector, issueUserTokens } from "../stack/identity.ts";
import { writeConfig } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { startService } from "../stack/service.ts";
import type { Measurements } from "./sql.ts";

const users = 50;
const connections = 64;

interface Scenario {
  readonly id: RowId;
  readonly title: string;
  readonly path: string;
  readonly forms: readonly string[];
  readonly authorization: string;
  /** Text of a correct answer. */
  readonly says: string;
}

async function assertAnswer(issuer: string, { path, forms, authorization, says, title }: Scenario): Promise<void> {
  const response = await fetch(`${issuer}${path}`, {
    method: "POST",
    headers: { ...(authorization !== "none" && { authorization }) },
    body: new URLSearchParams(forms[0]),
  });
  const text = await response.text();
  if (response.status !== 200 || !text.includes(says)) throw new Error(`${title}: ${response.status} ${text}`);
}

/**
 * Requests of mail systems to the identity provider at each login: through the gateway, with tokens of several users.
 */
export async function measureIdentity(servers: Servers, nodeArgs: readonly string[] = []): Promise<Measurements> {
  const { folder, redisPort } = servers;
  const { configFile, httpPort } = await writeConfig(servers, {}, { identity: identityConfig });
  const issuer = `http://127.0.0.1:${httpPort}`;
  const address = `127.0.0.1:${await freePort()}`;
  const env = { SERVICE_RUNTIME_SERVICES_IDP_ADDRESS: address, SERVICE_RUNTIME_SERVICES_IDP_URL: `http://${address}` };
  const options = { configFile, folder, env, nodeArgs };
  await using idp = await startService("idp", options);
  await using gateway = await startService("gateway", options);
  const memory = watchMemory([idp], "tokens");
  const place = { issuer, redisPort };
  const opaque = await issueUserTokens(place, "opaque", users);
  const signed = await issueUserTokens(place, "jwt", users);
  const introspection = { path: "/oidc/introspect", authorization: introspector, says: '"active":true' };
  const userinfo = { path: "/oidc/userinfo", authorization: "none", says: '"sub":' };
  const of: readonly Scenario[] = [
    {
      ...introspection,
      id: "introspect-opaque",
      title: "introspection, opaque token",
      forms: opaque.map((token) => `token=${token}`),
    },
    {
      ...introspection,
      id: "introspect-jwt",
      title: "introspection, signed token",
      forms: signed.map((token) => `token=${token}`),
    },
    { ...userinfo, id: "userinfo", title: "userinfo, opaque token", forms: opaque.map((one) => `access_token=${one}`) },
  ];
  const rows: Row[] = [];
  for (const scenario of of) {
    const bodiesFile = join(folder, `${scenario.id}.txt`);
    await writeFile(bodiesFile, `${scenario.forms.join("\n")}\n`);
    const load = { url: `${issuer}${scenario.path}`, bodiesFile, connections, format: "form" } as const;
    await assertAnswer(issuer, scenario);
    const row = await measureRow({
      ...scenario,
      connections,
      processes: [{ role: "gateway", pid: gateway.pid }, { role: "engine", pid: idp.pid }, ...servers.processes],
      windowSeconds: 1,
      generate: (seconds) => runWrk({ ...load, authorization: scenario.authorization }, seconds),
      verify: async ({ refused }) => {
        if (refused > 0) throw new Error(`${scenario.title}: ${refused} requests were refused`);
        await assertAnswer(issuer, scenario);
        memory.look();
      },
    });
    rows.push(row);
  }
  return { rows, memories: memory.memories() };
}
