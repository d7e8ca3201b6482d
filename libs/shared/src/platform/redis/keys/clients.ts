import type { KeyFamily } from "./family.ts";

/** Digests of clients or service providers of the configuration by their last use (s); at most 10,000 of each. */
export const clientUsesKey: KeyFamily<[kind: string]> = {
  name: "last use of clients",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: 400 * 86_400,
  lost: "operators do not see when an application was last used",
  parts: ["oidc or saml"],
  build: (prefix, kind) => `${prefix}clients:used:{${kind}}`,
};

export const clientKeyFamilies: readonly KeyFamily<never[]>[] = [clientUsesKey];
