import { freePort } from "@postern/testing";
import type { Protection } from "./config.ts";
import { writeConfig } from "./postern.ts";
import type { Servers } from "./servers.ts";
import { startService } from "./service.ts";

const basicAuthorization = `Basic ${Buffer.from("backchannel:bench-backchannel-secret").toString("base64")}`;

export interface ManagementRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: object | undefined;
}

/** Gateway, admin and worker; an engine if it has backends. */
export interface Management extends AsyncDisposable {
  /** The members of the answer. @throws Error for an unexpected status. */
  readonly adminPid: number;
  readonly ask: (request: ManagementRequest, expected?: number) => Promise<Readonly<Record<string, unknown>>>;
}

export async function startManagement(
  servers: Servers,
  protection: Protection,
  { backends, ...more }: { readonly backends?: object; readonly observability?: object } = {},
): Promise<Management> {
  await using started = new AsyncDisposableStack();
  const { configFile, httpPort } = await writeConfig(servers, backends ?? {}, { protection, ...more });
  const address = `127.0.0.1:${await freePort()}`;
  const env = {
    SERVICE_RUNTIME_SERVICES_ADMIN_ADDRESS: address,
    SERVICE_RUNTIME_SERVICES_ADMIN_URL: `http://${address}`,
  };
  const options = { configFile, folder: servers.folder, env };
  if (backends !== undefined) started.use(await startService("auth-engine", options));
  const admin = started.use(await startService("admin", options));
  for (const name of ["jobs-worker", "gateway"] as const) started.use(await startService(name, options));
  const owned = started.move();
  return {
    adminPid: admin.pid,
    ask: async ({ method, path, body }, expected = 200) => {
      const response = await fetch(`http://127.0.0.1:${httpPort}${path}`, {
        method,
        headers: { authorization: basicAuthorization, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.status !== expected) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      const members: unknown = JSON.parse(text);
      return Object(members);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
