import type { BusEvent, BusMethod } from "./define.ts";

/**
 * The only place that builds NATS subjects (ADR 0003): `<namespace>.rpc.<service>.<method>.v<major>` and
 * `<namespace>.evt.<domain>.<fact>.v<major>`.
 */
export function methodSubject(namespace: string, method: Pick<BusMethod, "service" | "name" | "major">): string {
  return `${namespace}.rpc.${method.service}.${method.name}.v${method.major}`;
}

export function eventSubject(namespace: string, event: Pick<BusEvent, "domain" | "fact" | "major">): string {
  return `${namespace}.evt.${event.domain}.${event.fact}.v${event.major}`;
}

/** The queue group of a service: each request is delivered to one of its replicas. */
export function queueGroup(service: string): string {
  return service;
}

/** Prefix of the private inboxes of a service's processes, so that NATS permissions can exclude other services. */
export function inboxPrefix(namespace: string, service: string): string {
  return `${namespace}.inbox.${service}`;
}
