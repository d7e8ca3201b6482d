import ipaddr from "ipaddr.js";
import { isLoopback } from "../../net/ip.ts";
import { messages } from "../messages.ts";
import type { Config, RedisRoleConfig } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

/** Shorter than any network that one operator owns. */
const shortestPrefix = { ipv4: 8, ipv6: 16 };

function isEverybody(network: string): boolean {
  if (!ipaddr.isValidCIDR(network)) return false;
  const [address, bits] = ipaddr.parseCIDR(network);
  return bits < shortestPrefix[address.kind()];
}

function judgeProxies({ runtime }: Config, { warning }: Judgement): void {
  const path = "runtime.servers.http.trusted_proxies";
  runtime.servers.http.trusted_proxies.forEach((network, index) => {
    if (isEverybody(network)) warning(`${path}[${index}]`, messages.trustsEverybody);
  });
}

function hostOf(address: string): string {
  const url = URL.parse(address.includes("://") ? address : `tcp://${address}`);
  return url === null ? "" : url.hostname.replaceAll(/[[\]]/g, "");
}

const isRemote = (host: string): boolean => host !== "" && !isLoopback(host);

function judgeBus({ runtime }: Config, { warning }: Judgement): void {
  const { servers, username, token, credentials_file, tls } = runtime.bus;
  const remote = servers.find((server) => isRemote(hostOf(server)));
  if (remote === undefined) return;
  if ([username, token, credentials_file].every((login) => login === "")) {
    warning("runtime.bus.username", messages.remoteWithoutLogin(hostOf(remote)));
  }
  const isPlain = !tls.enabled && servers.some((server) => !server.startsWith("tls:") && isRemote(hostOf(server)));
  if (isPlain) warning("runtime.bus.tls.enabled", messages.remoteWithoutTls(hostOf(remote)));
}

function remoteHost({ url, sentinels, cluster }: RedisRoleConfig): string | undefined {
  const own = sentinels.master === "" ? [url] : sentinels.addresses;
  const addresses = cluster.addresses.length > 0 ? cluster.addresses : own;
  return addresses.map(hostOf).find(isRemote);
}

interface Connection {
  readonly password: string;
  readonly tls: string;
}

/** Roles use the shared connection, so that one warning about it is enough. */
function placeOf({ storage }: Config, role: "state" | "queue" | "cache"): Connection {
  const { primary, roles } = storage.redis;
  const isShared = primary.address !== "" && hostOf(roles[role].url) === hostOf(primary.address);
  const root = `storage.redis.roles.${role}`;
  return isShared
    ? { password: "storage.redis.primary.password", tls: "storage.redis.tls.enabled" }
    : { password: `${root}.password`, tls: `${root}.tls.enabled` };
}

function hasPassword({ url, password, cluster }: RedisRoleConfig): boolean {
  return password !== "" || cluster.password !== "" || (URL.parse(url)?.password ?? "") !== "";
}

function judgeRedis(config: Config, { warning }: Judgement): void {
  for (const role of ["state", "queue", "cache"] as const) {
    const connection = config.storage.redis.roles[role];
    const host = remoteHost(connection);
    if (host === undefined) continue;
    const place = placeOf(config, role);
    if (!hasPassword(connection)) warning(place.password, messages.remoteWithoutLogin(host));
    if (!connection.tls.enabled && !connection.url.startsWith("rediss:")) {
      warning(place.tls, messages.remoteWithoutTls(host));
    }
  }
}

function judgeUnnamedClients({ auth }: Config, { warning }: Judgement): void {
  const { enabled, brute_force: bruteForce } = auth.controls;
  const { account_delay: delay, without_client: withoutClient } = bruteForce;
  if (!enabled.includes("brute_force") || delay.enabled || withoutClient.count_network) return;
  warning("auth.controls.brute_force.without_client.count_network", messages.uncountedWithoutClient);
}

/** Warnings about configurations that work and expose the site. */
export function validateExposure(config: Config, judgement: Judgement): void {
  judgeProxies(config, judgement);
  judgeBus(config, judgement);
  judgeRedis(config, judgement);
  judgeUnnamedClients(config, judgement);
}
