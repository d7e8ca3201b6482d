import { hash } from "node:crypto";
import { matchesDigest } from "@postern/shared/crypto";
import type { Clock } from "@postern/shared/time";
import { decodeJwt, jwtVerify } from "jose";
import type { ClientPolicies, ClientPolicy } from "./clients.ts";
import type { OidcStore } from "./store.ts";

/** How long an assertion may live (behaviour reference §2.8), with the leeway of clocks. */
export const longestAssertionSeconds = 330;

const skewSeconds = 30;
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

export interface ClientAuthDeps {
  readonly policies: () => ClientPolicies;
  readonly store: Pick<OidcStore, "unseen">;
  readonly issuer: string;
  readonly clock: Clock;
}

/** Credentials of a request: the header, and the form without its empty parameters. */
export interface ClientCredentials {
  readonly authorization: string | undefined;
  readonly form: URLSearchParams;
  /** The path that was called. */
  readonly path: string;
}

/** Which client asks; undefined for wrong or missing credentials. Rejects when a replay cannot be excluded. */
export type AuthenticateClient = (credentials: ClientCredentials) => Promise<ClientPolicy | undefined>;

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", "%20"));
  } catch {
    // Clients that know RFC 7617 and not RFC 6749 §2.3.1 send it as it is.
    return text;
  }
}

/** Client id and secret of a Basic header (RFC 6749 §2.3.1). */
export function basicCredentials(header: string): readonly [id: string, secret: string] | undefined {
  const match = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header);
  if (match?.[1] === undefined) return undefined;
  const text = Buffer.from(match[1], "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? undefined : [formDecoded(text.slice(0, colon)), formDecoded(text.slice(colon + 1))];
}

function bySecret(policy: ClientPolicy | undefined, secret: string): ClientPolicy | undefined {
  if (policy?.secretDigest === undefined || policy.assertionKey !== undefined) return undefined;
  return matchesDigest(secret, policy.secretDigest) ? policy : undefined;
}

async function byAssertion(
  assertion: string,
  path: string,
  { policies, store, issuer, clock }: ClientAuthDeps,
): Promise<ClientPolicy | undefined> {
  let claimed: string | undefined;
  try {
    claimed = decodeJwt(assertion).sub;
  } catch {
    return undefined;
  }
  const policy = policies().get(claimed ?? "");
  if (policy?.assertionKey === undefined) return undefined;
  const verified = await jwtVerify(assertion, policy.assertionKey, {
    algorithms: [policy.config.client_public_key_algorithm],
    issuer: policy.id,
    subject: policy.id,
    audience: [issuer, `${issuer}${path}`, `${issuer}/oidc/token`],
    requiredClaims: ["exp", "jti"],
    clockTolerance: skewSeconds,
    currentDate: new Date(clock.now()),
  }).catch(() => undefined);
  if (verified === undefined) return undefined;
  const { exp = 0, jti = "" } = verified.payload;
  const leftSeconds = exp - Math.floor(clock.now() / 1000);
  if (leftSeconds > longestAssertionSeconds) return undefined;
  // The same name as the provider's own check: an assertion used here does not count at the token endpoint.
  const id = hash("sha256", `${policy.id}${jti}`, "base64url");
  return (await store.unseen(id, leftSeconds + skewSeconds)) ? policy : undefined;
}

interface Told {
  readonly id: string;
  readonly secret: string;
  readonly assertion: string;
}

function byHeader(header: string, { id, secret, assertion }: Told, policies: ClientPolicies): ClientPolicy | undefined {
  // One method at a time (RFC 6749 §2.3); the form may repeat who asks.
  const basic = assertion === "" && secret === "" ? basicCredentials(header) : undefined;
  if (basic === undefined || (id !== "" && id !== basic[0])) return undefined;
  return bySecret(policies.get(basic[0]), basic[1]);
}

/** Client authentication of the routes that are ours: Basic, form, private_key_jwt. Public clients are nobody here. */
export function createClientAuth(deps: ClientAuthDeps): AuthenticateClient {
  return async ({ authorization, form, path }) => {
    const field = (name: string): string => form.get(name) ?? "";
    const told: Told = { id: field("client_id"), secret: field("client_secret"), assertion: field("client_assertion") };
    if (authorization !== undefined) return byHeader(authorization, told, deps.policies());
    if (told.assertion === "") return bySecret(deps.policies().get(told.id), told.secret);
    if (told.secret !== "" || field("client_assertion_type") !== assertionType) return undefined;
    const policy = await byAssertion(told.assertion, path, deps);
    return told.id === "" || told.id === policy?.id ? policy : undefined;
  };
}
