import type { Config } from "@postern/shared/platform/config";

export interface ServicePorts {
  /** Port of /healthz, /readyz and /metrics. */
  readonly private: number;
  /** Port for requests; undefined for services behind the bus. */
  readonly http: number | undefined;
}

export const serviceNames = ["gateway", "auth-engine", "idp", "admin", "jobs-worker"] as const;
export type ServiceName = (typeof serviceNames)[number];

export function isServiceName(name: string): name is ServiceName {
  return serviceNames.some((known) => known === name);
}

function portOf(address: string | undefined): number {
  return Number(address?.split(":").at(-1));
}

/** The ports of each service in a configuration. */
export function servicePorts({ runtime }: Config): Readonly<Record<ServiceName, ServicePorts>> {
  const { gateway, auth_engine, idp, admin, jobs_worker } = runtime.services;
  return {
    gateway: { private: portOf(gateway.private_address), http: portOf(runtime.servers.http.address[0]) },
    "auth-engine": { private: portOf(auth_engine.private_address), http: undefined },
    idp: { private: portOf(idp.private_address), http: portOf(idp.address) },
    admin: { private: portOf(admin.private_address), http: portOf(admin.address) },
    "jobs-worker": { private: portOf(jobs_worker.private_address), http: undefined },
  };
}

/** Addresses that must not be used in a container, because loopback is unreachable from outside. */
export function loopbackAddresses({ runtime }: Config): readonly string[] {
  const { gateway, auth_engine, idp, admin, jobs_worker } = runtime.services;
  const listeners = [...runtime.servers.http.address, idp.address, admin.address];
  const probes = [gateway, auth_engine, idp, admin, jobs_worker].map((service) => service.private_address);
  const upstreams = [idp.url, admin.url];
  return [...listeners, ...probes, ...upstreams].filter((address) => /127\.|localhost|\[::1\]/u.test(address));
}
