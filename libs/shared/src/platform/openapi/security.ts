import type { Operation, OperationAnswer, OperationSecurity } from "../../contracts/index.ts";
import { anyScopeOf, scopeName } from "../http/route-scopes.ts";
import type { JsonObject } from "./json.ts";

const schemes: Readonly<Record<string, JsonObject>> = {
  backchannelBasic: {
    type: "http",
    scheme: "basic",
    description: "The credentials in auth.backchannel.basic_auth, or those of a caller in auth.backchannel.callers.",
  },
  backchannelBearer: { type: "http", scheme: "bearer", description: "An access token or JWT for the back channel." },
  userBasic: { type: "http", scheme: "basic", description: "The user's own user name and password." },
  metricsBasic: {
    type: "http",
    scheme: "basic",
    description: "The credentials in observability.metrics.endpoint_auth.basic, if enabled.",
  },
  browserSession: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-service_session",
    description: "Session cookie, set by a sign-in.",
  },
  clientBasic: {
    type: "http",
    scheme: "basic",
    description: "client_secret_basic. With client_secret_post and private_key_jwt, the credentials are in the form.",
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
  // Off by default.
  metrics_basic: [{}, { metricsBasic: [] }],
  hook: [{}, { backchannelBasic: [] }, { backchannelBearer: [] }],
  browser_session: [{ browserSession: [] }],
  oidc_client: [{ clientBasic: [] }, {}],
  access_token: [{ accessToken: [] }],
  none: [],
};

/** Any one of them is sufficient; the scopes of the back channel are those that the gateway requires. */
export function securityOf(operation: Operation, identifier: string): readonly Requirement[] {
  if (operation.security === "backchannel") return backchannel(operation, identifier);
  return requirements[operation.security];
}

/** Rejections of API callers, answered by the gateway (docs/reference/api/management.yaml). */
const rejections: Readonly<Record<number, OperationAnswer>> = {
  401: { description: "The API caller's credentials are missing or wrong." },
  403: {
    description: "The token lacks a required scope, or the caller's list of operations does not contain this one.",
  },
  429: { description: "The failure budget of the address is exhausted. Retry-After says when to try again." },
  503: { description: "The token cannot be verified at the moment. Retry-After says when to try again." },
};

export const callerRejections: ReadonlySet<number> = new Set(Object.keys(rejections).map(Number));

/** Paths for clients and browsers authenticate no API caller, so every request counts. */
const tooMany: OperationAnswer = {
  description: "Too many requests from this address. Retry-After says when to try again.",
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
