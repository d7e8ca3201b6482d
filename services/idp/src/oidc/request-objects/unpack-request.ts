import type { JWTPayload } from "jose";
import { implicitTypeOf } from "../settings/response-types.ts";
import { membersOf, type RequestObjectRefusal, type RequestObjectState } from "./hand-over.ts";

export type RequestObjectOutcome =
  | { readonly outcome: "signed" | "unsigned"; readonly claims: JWTPayload }
  | { readonly outcome: "refused"; readonly reason: RequestObjectRefusal };

/** Reads a request object that a request of this client carries. Rejects with UPSTREAM_UNAVAILABLE without the keys. */
export type ReadRequestObject = (object: string, clientId: string) => Promise<RequestObjectOutcome>;

/**
 * Reads the request object that a client publishes at this URI. Undefined if the client publishes none, or the URI is that of a pushed
 * request. Rejects with OVERLOADED.
 */
export type ReadPublished = (
  uri: string,
  clientId: string,
) => Promise<{ readonly object: string } | { readonly refused: RequestObjectRefusal } | undefined>;

/** A request as the provider receives it. */
export interface UnpackedRequest {
  readonly params: URLSearchParams;
  readonly state: RequestObjectState;
}

/** Members that concern the object itself, not the request. */
const ofTheObject: ReadonlySet<string> = new Set(["iss", "aud", "exp", "nbf", "iat", "jti", "sub"]);

/** Client authentication at `/oidc/par`, which is never part of a request object (RFC 9126 §3). */
const ofTheClient = ["client_id", "client_secret", "client_assertion", "client_assertion_type"] as const;

/** Parameters by which an error finds its way back to the client. */
const ofTheResponse = ["redirect_uri", "state", "response_mode"] as const;

function textOfMember(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function kept(params: URLSearchParams): URLSearchParams {
  const values = ofTheClient.flatMap((name) => params.getAll(name).map((value) => [name, value]));
  return new URLSearchParams(values);
}

/** Only the members of the object count; the parameters beside it are ignored (RFC 9101 §6.3). */
function paramsOf(claims: Readonly<Record<string, unknown>>, outer: URLSearchParams): URLSearchParams {
  const params = kept(outer);
  for (const [name, value] of Object.entries(claims)) {
    if (ofTheObject.has(name) || value === null || value === undefined) continue;
    if (ofTheClient.some((own) => own === name)) continue;
    const values: readonly unknown[] = name === "resource" && Array.isArray(value) ? value : [value];
    for (const each of values) params.append(name, textOfMember(each));
  }
  return params;
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The redirect URI may come from an unverified object, because it must be registered for the client. */
function refusedRequest(outer: URLSearchParams, clientId: string, issuer: string): URLSearchParams {
  const members = membersOf(outer.get("request") ?? "") ?? {};
  const params = kept(outer);
  // A client of the implicit flow expects errors in the fragment too.
  const type = implicitTypeOf(members["response_type"] ?? outer.get("response_type"));
  params.set("response_type", type ?? "code");
  for (const name of ofTheResponse) {
    const value = members[name] ?? outer.get(name);
    if (typeof value === "string" && value !== "") params.set(name, value);
  }
  const stub = { client_id: clientId, iss: clientId, aud: issuer };
  params.set("request", `${encoded({ alg: "RS256" })}.${encoded(stub)}.refused`);
  return params;
}

/** Turns request objects into requests for the provider. */
export function createRequestObjects(read: ReadRequestObject, readPublished: ReadPublished, issuer: string) {
  const refuse = (params: URLSearchParams, clientId: string, reason: RequestObjectRefusal): UnpackedRequest => ({
    params: refusedRequest(params, clientId, issuer),
    state: reason,
  });
  const unpack = async (params: URLSearchParams, clientId: string): Promise<UnpackedRequest> => {
    const objects = params.getAll("request");
    const [object] = objects;
    // The provider refuses a request with several objects, or with an object and a reference.
    if (object === undefined || objects.length > 1 || params.has("request_uri")) return { params, state: "" };
    const result = await read(object, clientId);
    if (result.outcome === "refused") return refuse(params, clientId, result.reason);
    const [type, signedType] = [params.get("response_type"), result.claims["response_type"]];
    if (type !== null && signedType !== undefined && type !== signedType) {
      return refuse(params, clientId, "wrong_response_type");
    }
    return { params: paramsOf(result.claims, params), state: result.outcome };
  };
  return {
    /** The request that the provider answers with the error of this refusal. */
    refuse,
    /**
     * Replaces a request object by its parameters. A refused one is replaced by a request that the provider refuses. Rejects
     * with UPSTREAM_UNAVAILABLE when the client's keys are needed and cannot be read.
     */
    unpack,
    /** Unpacks a request that may also contain a URI at which the client publishes the object. */
    unpackOrFetch: async (params: URLSearchParams, clientId: string): Promise<UnpackedRequest> => {
      const uris = params.getAll("request_uri");
      const [uri] = uris;
      const found =
        uri === undefined || uris.length > 1 || params.has("request") ? undefined : await readPublished(uri, clientId);
      if (found === undefined) return unpack(params, clientId);
      const fetched = new URLSearchParams(params);
      fetched.delete("request_uri");
      if ("refused" in found) return refuse(fetched, clientId, found.refused);
      fetched.set("request", found.object);
      return unpack(fetched, clientId);
    },
  };
}
