import type { TObject, TSchema } from "typebox";

export type HttpMethod = "get" | "post" | "put" | "patch" | "delete";

/** Who reads the document: operators and mail servers, or clients of the identity provider. */
export type Audience = "management" | "idp";

/**
 * Who may ask. `backchannel`: Basic or Bearer, with the scopes of `http/route-scopes.ts`; its 401, 403, 429 and 503 are
 * described by the builder. `user_basic`: the user's own password. `metrics_basic`: the credentials of
 * `observability.metrics.endpoint_auth.basic`. `hook`: as the site configured the hook. `browser_session`: the cookie of
 * a sign-in. `oidc_client`: client authentication of RFC 6749. `access_token`: RFC 6750.
 */
export type OperationSecurity =
  | "backchannel"
  | "user_basic"
  | "metrics_basic"
  | "hook"
  | "browser_session"
  | "oidc_client"
  | "access_token"
  | "none";

/** Schemas by media type. */
export type Content = Readonly<Record<string, TSchema>>;

export interface OperationRequest {
  /** An optional property is an optional parameter. Every `{name}` of the path has one here. */
  readonly path?: TObject;
  readonly query?: TObject;
  readonly headers?: TObject;
  readonly body?: Content;
  /** False where the contract lets the body out. */
  readonly bodyRequired?: boolean;
}

export interface OperationAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, TSchema>>;
  /** Absent: no body. */
  readonly content?: Content;
  /** The answer has a body for some requests only. */
  readonly bodyOptional?: true;
}

/**
 * One operation of the HTTP interface, in wire names. Names that begin with `X-Service-` and the segments `proxy` and
 * `sasl` are written as by default; the builder puts the site's words there.
 *
 * A schema with a `title` becomes a component of that name.
 */
export interface Operation {
  readonly method: HttpMethod;
  /** As OpenAPI writes it: `/api/v1/async/jobs/{jobId}`. */
  readonly path: string;
  /** camelCase, unique, never changed: clients are generated from it. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly audience: Audience;
  readonly security: OperationSecurity;
  readonly request?: OperationRequest;
  readonly answers: Readonly<Record<number, OperationAnswer>>;
}

export function defineOperation(operation: Operation): Operation {
  return Object.freeze(operation);
}
