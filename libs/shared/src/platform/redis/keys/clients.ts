import { keysWith } from "./family.ts";

const { key, all } = keysWith({ owner: "idp", role: "state" });

export { all as clientKeyFamilies };

/** Digests of clients or service providers of the configuration by their last use (s); at most 10,000 of each. */
export const clientUsesKey = key("last use of clients", "zset", 400 * 86_400, {
  template: "clients:used:{<oidc or saml>}",
  lost: "operators do not see when an application was last used",
});
