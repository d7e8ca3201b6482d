import { freePort, poll } from "@postern/testing";
import { type ServiceName, type ServiceProcess, serviceNames } from "./service-process.ts";
import { startWholeSite } from "./whole-site.ts";

/** The ports of a process, which it keeps when it is started again. */
export interface SitePorts {
  readonly http: number;
  readonly idp: number;
  readonly admin: number;
}

export async function freeSitePorts(): Promise<SitePorts> {
  const [http, idp, admin] = await Promise.all([freePort(), freePort(), freePort()]);
  return { http, idp, admin };
}

/** A process of the whole site. Several on one machine differ in their ports only. */
export interface SiteProcess extends AsyncDisposable {
  readonly url: string;
  readonly services: ReadonlyMap<ServiceName, ServiceProcess>;
  /** The process, at the private listener of its gateway. */
  readonly gateway: ServiceProcess;
}

export interface SiteProcessOptions {
  readonly configFile: string;
  readonly ports?: SitePorts;
  readonly env?: Readonly<Record<string, string>>;
}

/** Resolves when all services of the process are ready. */
export async function startSiteProcess({ configFile, env, ...options }: SiteProcessOptions): Promise<SiteProcess> {
  const { http, idp, admin } = options.ports ?? (await freeSitePorts());
  const services = await startWholeSite(serviceNames, {
    configFile,
    env: {
      SERVICE_RUNTIME_SERVERS_HTTP_ADDRESS: `127.0.0.1:${http}`,
      SERVICE_RUNTIME_SERVICES_IDP_ADDRESS: `127.0.0.1:${idp}`,
      SERVICE_RUNTIME_SERVICES_ADMIN_ADDRESS: `127.0.0.1:${admin}`,
      ...env,
    },
  });
  const gateway = services.get("gateway");
  if (gateway === undefined) throw new Error("the process has no gateway");
  await poll("a process of the site", async () => (await gateway.readiness()) === 200, 60_000);
  return {
    url: `http://127.0.0.1:${http}`,
    services,
    gateway,
    [Symbol.asyncDispose]: async () => void (await gateway.stop()),
  };
}

/** Waits until a gateway hears so many engines. */
export async function enginesHeard({ gateway }: Pick<SiteProcess, "gateway">, count: number): Promise<true> {
  return poll(`heartbeats of ${count} engines`, async () =>
    (await gateway.metrics()).includes(`service_engines_heard ${count}\n`),
  );
}
