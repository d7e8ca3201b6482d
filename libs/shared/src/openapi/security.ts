import type { Operation, OperationAnswer, OperationSecurity } from "../contracts/index.ts";
import { anyScopeOf, scopeName } from "../http/route-scopes.ts";
import type { JsonObject } from "./json.ts";

const schemes: Readonly<Record<string, JsonObject>> = {
  backchannelBasic: {
    type: "http",
    scheme: "basic",
    description: "The administrative credential of auth.backchannel.basic_auth.",
  },
  backchannelBearer: { type: "http", scheme: "bearer", description: "An access token for the back channel." },
  userBasic: { type: "http", scheme: "basic", description: "The user's own name and password." },
  metricsBasic: {
    type: "http",
    scheme: "basic",
    description: "observability.metrics.endpoint_auth.basic, where it is on.",
  },
  browserSession: { type: "apiKey", in: "cookie", name: "__Host-service_session", description: "Set by a sign-in." },
  clientBasic: {
    type: "http",
    scheme: "basic",
    description: "client_secret_basic; client_secret_post and private_key_jwt travel in the form.",
  },
  accessToken: { type: "http", scheme: "bearer", description: "An access token of this issuer (RFC 6750)." },
};

type Requirement = Readonly<Record<string, readonly string[]>>;

function backchannel({ method, path }: Operation, identifier: string): readonly Requirement[] {
  const base = scopeName(identifier, "authenticate");
  const extra = anyScopeOf(method.toUpperCase(), path);
  const bearer =
    extra.length === 0
      ? [{ backchannelBearer: [base] }]
      : extra.map((word) => ({ backchannelBearer: [base, scopeName(identifier, word)] }));
  return [{ backchannelBasic: [] }, ...bearer];
}

const requirements: Readonly<Record<Exclude<OperationSecurity, "backchannel">, readonly Requirement[]>> = {
  user_basic: [{ userBasic: [] }],
  // Off unless the site turns it on.
  metrics_basic: [{}, { metricsBasic: [] }],
  hook: [{}, { backchannelBasic: [] }, { backchannelBearer: [] }],
  browser_session: [{ browserSession: [] }],
  oidc_client: [{ clientBasic: [] }, {}],
  access_token: [{ accessToken: [] }],
  none: [],
};

/** Any one of them suffices; scopes of the back channel are those that the gateway asks for. */
export function securityOf(operation: Operation, identifier: string): readonly Requirement[] {
  if (operation.security === "backchannel") return backchannel(operation, identifier);
  return requirements[operation.security];
}

/** Contract, "Caller rejection outcomes": what the gateway answers before an owner is asked. */
const rejections: Readonly<Record<number, OperationAnswer>> = {
  401: { description: "Credentials of the caller are missing or wrong." },
  403: { description: "The token lacks a scope." },
  429: { description: "The address's budget of failures is empty; Retry-After says when to come again." },
  503: { description: "The caller's token cannot be judged now; Retry-After says when to come again." },
};

export const callerRejections: ReadonlySet<number> = new Set(Object.keys(rejections).map(Number));

/** Paths of clients and browsers check no caller, so that each request counts. */
const tooMany: OperationAnswer = {
  description: "Too many requests of this address; Retry-After says when to come again.",
};

export function answersOf({ security, answers, audience }: Operation): Readonly<Record<number, OperationAnswer>> {
  if (audience === "idp") return { 429: tooMany, ...answers };
  if (security === "user_basic") return { 429: rejections[429] ?? { description: "" }, ...answers };
  return security === "backchannel" ? { ...rejections, ...answers } : answers;
}

export function schemesOf(requirementLists: readonly (readonly Requirement[])[]): JsonObject {
  const used = new Set(requirementLists.flat().flatMap((requirement) => Object.keys(requirement)));
  return Object.fromEntries(Object.entries(schemes).filter(([name]) => used.has(name)));
}
