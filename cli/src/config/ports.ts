import type { Config } from "@postern/shared/platform/config";

export interface ServicePorts {
  /** Port of /healthz, /readyz and /metrics. */
  readonly private: number;
  /** Port for requests; undefined for services behind the bus. */
  readonly http: number | undefined;
  /** Port of the front channel; undefined for services other than the gateway. */
  readonly front: number | undefined;
}

export const serviceNames = ["gateway", "auth-engine", "idp", "admin", "jobs-worker"] as const;
export type ServiceName = (typeof serviceNames)[number];

export function isServiceName(name: string): name is ServiceName {
  return serviceNames.some((known) => known === name);
}

function portOf(address: string | undefined): number {
  return Number(address?.split(":").at(-1));
}

function portsOf(private_address: string, http?: string, front?: string): ServicePorts {
  return {
    private: portOf(private_address),
    http: http === undefined ? undefined : portOf(http),
    front: front === undefined ? undefined : portOf(front),
  };
}

/** The ports of each service in a configuration. */
export function servicePorts({ runtime }: Config): Readonly<Record<ServiceName, ServicePorts>> {
  const { gateway, auth_engine, idp, admin, jobs_worker } = runtime.services;
  const { address, frontend_address } = runtime.servers.http;
  return {
    gateway: portsOf(gateway.private_address, address[0], frontend_address[0]),
    "auth-engine": portsOf(auth_engine.private_address),
    idp: portsOf(idp.private_address, idp.address),
    admin: portsOf(admin.private_address, admin.address),
    "jobs-worker": portsOf(jobs_worker.private_address),
  };
}

/** Addresses that must not be used in a container, because loopback is unreachable from outside. */
export function loopbackAddresses({ runtime }: Config): readonly string[] {
  const { gateway, auth_engine, idp, admin, jobs_worker } = runtime.services;
  const { address: back, domain_listeners: own, frontend_address: front } = runtime.servers.http;
  const listeners = [...back, ...own.map(({ address }) => address), ...front, idp.address, admin.address];
  const probes = [gateway, auth_engine, idp, admin, jobs_worker].map((service) => service.private_address);
  const upstreams = [idp.url, admin.url];
  return [...listeners, ...probes, ...upstreams].filter((address) => /127\.|localhost|\[::1\]/u.test(address));
}
