import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

/** Protocols with which the sign-in pages query backends. */
const pageProtocols: ReadonlySet<string> = new Set(["oidc", "saml", "idp", "*"]);

interface Search {
  readonly protocol: readonly string[];
  readonly mapping: { readonly unique_user_id_field: string };
}

/** Warns where subjects are account names: a renamed user appears as a new one, and a reassigned name inherits access. */
export function validateSubject({ auth, identity }: Config, { warning }: Judgement): void {
  const { oidc, saml, subject } = identity;
  if (subject !== "unique_id" || !(oidc.enabled || saml.enabled)) return;
  const { order, ldap, sql } = auth.backends;
  const searches: readonly (readonly [string, readonly Search[]])[] = [
    ["ldap", ldap.search],
    ["sql", sql.search],
  ];
  for (const [kind, entries] of searches) {
    if (!order.some((name) => name === kind || name.startsWith(`${kind}(`))) continue;
    entries.forEach(({ protocol, mapping }, index) => {
      if (mapping.unique_user_id_field !== "" || !protocol.some((name) => pageProtocols.has(name))) return;
      warning(`auth.backends.${kind}.search[${index}].mapping.unique_user_id_field`, messages.noUniqueUserId);
    });
  }
  const { enabled, username_claims } = auth.oauthbearer;
  if (oidc.enabled && enabled && username_claims.every((claim) => claim === "sub")) {
    warning("auth.oauthbearer.username_claims", messages.subjectNamesNobody);
  }
}
