import { join } from "node:path";
import { freePort } from "@postern/testing";
import { runWrkOnPage } from "../generator/wrk.ts";
import type { GeneratorReport } from "../generator/wrk-output.ts";
import { measureRow, type Row, rounds } from "../measure/row.ts";
import { openCallers, sqlBackends } from "../stack/config.ts";
import { writeConfig } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { startService } from "../stack/service.ts";

/** A sign-in that has begun: its page, and the cookie that binds it to its browser. */
async function beginSignIn(origin: string): Promise<{ readonly url: string; readonly cookie: string }> {
  const begun = await fetch(`${origin}/mfa/register/home`, { redirect: "manual" });
  const place = begun.headers.get("location") ?? "";
  const cookie = begun.headers
    .getSetCookie()
    .map((line) => line.split(";", 1).join())
    .join("; ");
  const url = new URL(place, origin).href;
  const page = await (await fetch(url, { headers: { cookie } })).text();
  if (!page.includes('autocomplete="current-password"')) throw new Error(`no sign-in page at ${url}`);
  return { url, cookie };
}

function allShown({ refused }: GeneratorReport): void {
  if (refused > 0) throw new Error(`${refused} sign-in pages were refused`);
}

/** Requests for the sign-in page: gateway, identity provider, the flow in Redis. */
export async function measurePages(servers: Servers): Promise<readonly Row[]> {
  const backends = sqlBackends(join(servers.folder, "directory.sqlite"));
  const { configFile, httpPort } = await writeConfig(servers, backends, { callers: openCallers });
  const idpPort = await freePort();
  const env = {
    SERVICE_RUNTIME_SERVICES_IDP_ADDRESS: `127.0.0.1:${idpPort}`,
    SERVICE_RUNTIME_SERVICES_IDP_URL: `http://127.0.0.1:${idpPort}`,
    SERVICE_IDENTITY_FRONTEND_ENABLED: "true",
    SERVICE_IDENTITY_OIDC_ISSUER: `http://127.0.0.1:${httpPort}`,
  };
  const options = { configFile, folder: servers.folder, env };
  await using idp = await startService("idp", options);
  await using gateway = await startService("gateway", options);
  const { url, cookie } = await beginSignIn(`http://127.0.0.1:${httpPort}`);
  const row = await measureRow(
    {
      id: "login-page",
      title: "sign-in page (engine: the idp)",
      connections: 8,
      processes: [{ role: "gateway", pid: gateway.pid }, { role: "engine", pid: idp.pid }, ...servers.processes],
      windowSeconds: 1,
      warmSeconds: 1,
      generate: (seconds) => runWrkOnPage({ url, cookie, connections: 8 }, seconds),
      verify: allShown,
    },
    rounds,
  );
  return [row];
}
