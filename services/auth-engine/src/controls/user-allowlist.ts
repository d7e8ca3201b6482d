import { type CidrSet, createCidrSet } from "@postern/shared/net";

/** Users with the networks from which a control lets them be. Names are compared in lower case. */
export interface UserAllowlist {
  has(username: string, clientIp: string | undefined): boolean;
}

/** @param given networks by user name, as the configuration has checked them */
export function createUserAllowlist(given: unknown): UserAllowlist {
  const entries = typeof given === "object" && given !== null ? Object.entries(given) : [];
  const byName = new Map<string, CidrSet>(
    entries.map(([name, networks]) => [
      name.toLowerCase(),
      createCidrSet(Array.isArray(networks) ? networks.map(String) : []),
    ]),
  );
  return {
    has: (username, clientIp) =>
      byName.size > 0 && clientIp !== undefined && (byName.get(username.toLowerCase())?.has(clientIp) ?? false),
  };
}
