import { matchesDigest } from "@postern/shared/platform/crypto";
import type { FastifyRequest } from "fastify";
import type { AssertionRefusal, AuthenticateAssertion } from "./client-assertion.ts";
import { type CertificateRefusal, certificateFault } from "./client-certificate.ts";
import type { Authenticated, ClientPolicies, ClientPolicy, FindPolicy, KeySetsOf } from "./clients.ts";

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Why a client is refused, for the log. */
export type ClientRefusal =
  | AssertionRefusal
  | CertificateRefusal
  | "wrong_secret"
  | "no_credentials"
  | "several_methods";

export type ClientOutcome = Authenticated<ClientRefusal>;

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", "%20"));
  } catch {
    // Clients that implement RFC 7617 but not RFC 6749 §2.3.1 send it unencoded.
    return text;
  }
}

/** Client id and secret of a Basic header (RFC 6749 §2.3.1). */
export function basicCredentials(header = ""): readonly [id: string, secret: string] | undefined {
  const match = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header);
  if (match?.[1] === undefined) return undefined;
  const text = Buffer.from(match[1], "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? undefined : [formDecoded(text.slice(0, colon)), formDecoded(text.slice(colon + 1))];
}

/** The client that header or form name; empty if it is named by an assertion, or not at all. */
export function claimedId(authorization: string | undefined, form: URLSearchParams): string {
  return basicCredentials(authorization)?.[0] ?? form.get("client_id") ?? "";
}

function refused(reason: ClientRefusal, client: string | undefined): ClientOutcome {
  return { outcome: "refused", reason, client: client === "" ? undefined : client };
}

function bySecret(id: string, secret: string, policies: ClientPolicies): ClientOutcome {
  const policy = policies.get(id);
  if (policy === undefined) return refused(id === "" ? "no_credentials" : "unknown_client", id);
  if (secret === "") return refused("no_credentials", id);
  const { secretDigest } = policy;
  const isRight = secretDigest !== undefined && !policy.signsAssertions && matchesDigest(secret, secretDigest);
  return isRight ? { outcome: "client", policy } : refused("wrong_secret", id);
}

type FormCredentials = Readonly<Record<"id" | "secret" | "assertion", string>>;

function byHeader(header: string, { id, secret, assertion }: FormCredentials, policies: ClientPolicies): ClientOutcome {
  // One method at a time (RFC 6749 §2.3); the form may repeat the client id.
  if (assertion !== "" || secret !== "") return refused("several_methods", id);
  const basic = basicCredentials(header);
  if (basic === undefined) return refused("no_credentials", id);
  return id !== "" && id !== basic[0] ? refused("several_methods", id) : bySecret(basic[0], basic[1], policies);
}

/** The client that the form names, if it authenticates by a certificate and sends no other credentials. */
function certificateClient(
  { id, secret, assertion }: FormCredentials,
  policies: ClientPolicies,
): ClientPolicy | undefined {
  const policy = policies.get(id);
  return policy?.usesCertificate === true && secret === "" && assertion === "" ? policy : undefined;
}

/**
 * Client authentication of our own routes: Basic, form (without empty parameters), private_key_jwt, certificate. Public clients are refused.
 * Rejects when the client's keys cannot be read or a replay cannot be excluded.
 */
export function createClientAuth(
  findPolicy: FindPolicy,
  policies: () => ClientPolicies,
  byAssertion: AuthenticateAssertion,
  keySetsOf: KeySetsOf,
) {
  return async ({ raw, caller }: Pick<FastifyRequest, "raw" | "caller">, form: URLSearchParams, path: string) => {
    const { authorization } = raw.headers;
    const field = (name: string): string => form.get(name) ?? "";
    const [id, secret, assertion] = [field("client_id"), field("client_secret"), field("client_assertion")];
    const credentials = { id, secret, assertion };
    await findPolicy(claimedId(authorization, form));
    if (authorization !== undefined) return byHeader(authorization, credentials, policies());
    const named = certificateClient(credentials, policies());
    if (named !== undefined) {
      const reason = await certificateFault(caller?.certificate, named, keySetsOf(named));
      return reason === undefined ? ({ outcome: "client", policy: named } as const) : refused(reason, named.id);
    }
    if (assertion === "") return bySecret(id, secret, policies());
    if (secret !== "") return refused("several_methods", id);
    if (field("client_assertion_type") !== assertionType) return refused("not_an_assertion", id);
    const known = await byAssertion(assertion, path);
    const isOther = known.outcome === "client" && id !== "" && id !== known.policy.id;
    return isOther ? refused("several_methods", id) : known;
  };
}
