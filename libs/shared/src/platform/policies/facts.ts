/** The type of a fact; it determines the applicable operators. */
export type FactType = "flag" | "number" | "text" | "texts";

export type FactValue = boolean | number | string | readonly string[];

/**
 * All facts that a policy can use. A fact that is unknown in a decision is absent, and every comparison with it is false.
 */
export const policyFacts = {
  "request.operation": "text",
  "request.dialect": "text",
  "request.protocol": "text",
  "request.method": "text",
  "request.username": "text",
  "request.client.ip": "text",
  "request.client.ip.present": "flag",
  "request.client.host": "text",
  "request.client.id": "text",
  "request.local.ip": "text",
  "request.local.port": "number",
  "request.user_agent": "text",
  "request.login_attempt": "number",
  "request.connection.tls": "flag",
  "request.tls.protocol": "text",
  "request.tls.client_verify": "text",
  "request.tls.client_cn": "text",
  "request.idp.client_id": "text",
  "auth.authenticated": "flag",
  "auth.identity.found": "flag",
  "auth.account.name": "text",
  "auth.account.groups": "texts",
  "auth.account.second_factor": "flag",
  "auth.credential": "text",
  "auth.denial.reason": "text",
  "auth.directory": "text",
  "auth.cache.hit": "flag",
  "auth.backend.empty_password": "flag",
  "auth.master_user.active": "flag",
  "auth.brute_force.triggered": "flag",
  "auth.brute_force.rule": "text",
  "auth.brute_force.repeating": "flag",
  "auth.brute_force.account_passwords": "number",
  "auth.brute_force.network_guesses": "number",
  "auth.brute_force.degraded": "flag",
  "auth.risk.score": "number",
  "auth.risk.level": "text",
  "auth.risk.signals": "texts",
  "auth.risk.known": "flag",
  "auth.tls.secure": "flag",
  "auth.relay_domain.known": "flag",
  "auth.domain.name": "text",
  "auth.rbl.score": "number",
  "auth.rbl.listed": "texts",
  "auth.control.rejected": "text",
} as const satisfies Record<string, FactType>;

export type PolicyFact = keyof typeof policyFacts;

/** Prefix of attributes that a backend releases for the account; each is a list of texts. */
export const attributeFactPrefix = "auth.subject.attribute.";

/** Prefix of attributes that a mail server sends with an auth-policy request; each is a list of texts. */
export const requestAttributeFactPrefix = "request.attrs.";

/** Prefix of attributes in the record of the account's domain; each is a list of texts. */
export const domainAttributeFactPrefix = "auth.domain.attribute.";

const attributePrefixes = [attributeFactPrefix, requestAttributeFactPrefix, domainAttributeFactPrefix];

export function isPolicyFact(name: string): name is PolicyFact {
  return Object.hasOwn(policyFacts, name);
}

/** Undefined for a name that is not a fact. */
export function factType(name: string): FactType | undefined {
  if (isPolicyFact(name)) return policyFacts[name];
  const isAttribute = attributePrefixes.some((prefix) => name.startsWith(prefix) && name.length > prefix.length);
  return isAttribute ? "texts" : undefined;
}
