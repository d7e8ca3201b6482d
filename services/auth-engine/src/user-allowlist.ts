import { type CidrSet, canonicalName, createCidrSet } from "@postern/shared/platform/net";

/**
 * Users and the networks from which a control or rule does not apply to them. Names are compared in lower case, and internationalised domains
 * by their A-labels.
 *
 * @param allowlist networks by user name, as validated by the configuration
 */
export function createUserAllowlist(allowlist: unknown) {
  const entries = typeof allowlist === "object" && allowlist !== null ? Object.entries(allowlist) : [];
  const byName = new Map<string, CidrSet>(
    entries.map(([name, networks]) => [
      canonicalName(name.toLowerCase()),
      createCidrSet(Array.isArray(networks) ? networks.map(String) : []),
    ]),
  );
  return {
    has: (username: string, clientIp: string | undefined): boolean =>
      byName.size > 0 &&
      clientIp !== undefined &&
      (byName.get(canonicalName(username.toLowerCase()))?.has(clientIp) ?? false),
  };
}
