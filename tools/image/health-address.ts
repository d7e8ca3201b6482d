import { parse } from "yaml";

/** The private listeners of the services where a configuration says nothing else. */
export const defaultPorts: Readonly<Record<string, number>> = {
  gateway: 9101,
  "auth-engine": 9102,
  idp: 9103,
  admin: 9104,
  "jobs-worker": 9105,
};

/** The service of one process that is ready last: the gateway, if it is among them. */
function firstServed(commandLine: string): string | undefined {
  const list = /\0--services(?:=|\0)([^\0]+)/u.exec(commandLine)?.[1];
  const named = list?.split(",").map((name) => name.trim()) ?? Object.keys(defaultPorts);
  return Object.keys(defaultPorts).find((name) => named.includes(name));
}

/** The service that a command line starts; undefined for another program. */
export function serviceOf(commandLine: string): string | undefined {
  const name = /services\/([a-z-]+)\/dist\/bundle\/main\.js/u.exec(commandLine)?.[1];
  if (/cli\/dist\/bundle\/main\.js\0serve\0/u.test(commandLine)) return firstServed(commandLine);
  return name !== undefined && name in defaultPorts ? name : undefined;
}

function configured(text: string, key: string): string | undefined {
  const config: {
    runtime?: { services?: Readonly<Record<string, { private_address?: string } | null>> | null } | null;
  } | null = parse(text);
  return config?.runtime?.services?.[key]?.private_address;
}

/** Where the service answers /readyz in its own container; undefined if it has no private listener. */
export function healthAddress(
  service: string,
  environment: Readonly<Record<string, string | undefined>>,
  configText: string,
): string | undefined {
  const key = service.replace("-", "_");
  const variable = environment[`SERVICE_RUNTIME_SERVICES_${key.toUpperCase()}_PRIVATE_ADDRESS`];
  const address = variable ?? configured(configText, key) ?? `127.0.0.1:${defaultPorts[service]}`;
  return address === "" ? undefined : address.replace(/^(?:0\.0\.0\.0|\[::\])?:/u, "127.0.0.1:");
}
