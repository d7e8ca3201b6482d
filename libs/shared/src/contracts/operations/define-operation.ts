import type { TObject, TSchema } from "typebox";
import type { RouteFamily, ScopeWord } from "./route-family.ts";

export type HttpMethod = "get" | "post" | "put" | "patch" | "delete";

/** Who reads the document: operators and mail servers, or clients of the identity provider. */
export type Audience = "management" | "idp";

/**
 * Who may call the operation. `backchannel`: Basic or Bearer, with the operation's scopes; the builder describes its 401,
 * 403, 429 and 503. `user_basic`: the user's own password. `metrics_basic`: the credentials of `observability.metrics.endpoint_auth.basic`.
 * `hook`: as the site configured the hook. `browser_session`: the session cookie. `oidc_client`: client authentication of RFC 6749.
 * `access_token`: RFC 6750.
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
  /** The gateway passes the body of a GET on as that of a POST to the same path, which is the same operation. */
  readonly body?: Content;
  /** False if the body is optional. */
  readonly bodyRequired?: boolean;
}

/**
 * What an operation is about, for callers that are limited to domains. `account` and `domain`: the member of the request that names it.
 * `subject`: an account, or an address, a network or a reference; `accounts`: the operation leaves out, or treats as unknown, accounts
 * outside. `nobody`: it is about no account.
 */
export type Concern =
  | {
      readonly of: "account" | "subject";
      readonly in: "body" | "query" | "path";
      readonly member: string;
      /** Without the member, the operation is one of `accounts`. */
      readonly isOptional?: true;
    }
  | { readonly of: "domain"; readonly in: "body" | "query" | "path"; readonly member: string }
  | { readonly of: "accounts" | "nobody" };

export interface OperationAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, TSchema>>;
  /** Absent: no body. */
  readonly content?: Content;
  /** The answer has a body for some requests only. */
  readonly bodyOptional?: true;
}

/** Keys of `runtime.servers.http.disabled_endpoints`. */
export const disabledEndpoints = [
  "auth_json",
  "auth_cbor",
  "auth_header",
  "auth_basic",
  "auth_proxy",
  "auth_sasl",
  "auth_jwt",
  "configuration",
  "custom_hooks",
] as const;
export type DisabledEndpoint = (typeof disabledEndpoints)[number];

/**
 * One operation of the HTTP interface, in wire names: everything that more than one part of Postern must know about a
 * route. The gateway's forwarding, the scopes, the services' routes, the OpenAPI documents and the command line read it
 * here. Names that begin with `X-Service-` are written as by default; the builder of the documents replaces them with the
 * site's names.
 *
 * A schema with a `title` becomes a component of that name.
 */
export interface Operation<Id extends string = string, Path extends string = string> {
  readonly family: RouteFamily;
  readonly method: HttpMethod;
  /** The form of OpenAPI: `/api/v1/async/jobs/{jobId}`. */
  readonly path: Path;
  /** camelCase, unique, never changed: clients are generated from it. */
  readonly operationId: Id;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly audience: Audience;
  readonly security: OperationSecurity;
  /** These replace the family's scopes. */
  readonly anyScope?: readonly ScopeWord[];
  /** Absent: it concerns the site, and callers that are limited to domains are refused. */
  readonly concerns?: Concern;
  /** A wrong password costs the client address a token of `rate_limit.password_failures`. */
  readonly takesPassword?: true;
  /** The key that switches the operation off. */
  readonly disabledBy?: DisabledEndpoint;
  /** The limit in bytes; it is below the listener's `max_body_bytes`. */
  readonly maxBodyBytes?: number;
  /** The key of `runtime.naming` that names the last segment of the path, which is written as by default. */
  readonly namedBy?: "proxy_segment" | "sasl_segment";
  /** Clients write the path with capital letters of their choice. */
  readonly anyCase?: true;
  /** The last parameter stands for any number of segments. */
  readonly takesRest?: true;
  /** The operation of this page with a language tag as last segment. */
  readonly inLanguage?: Operation;
  /** Why the route is in no document. */
  readonly undocumented?: string;
  readonly request?: OperationRequest;
  readonly answers: Readonly<Record<number, OperationAnswer>>;
}

export function defineOperation<const Id extends string, const Path extends string>(
  operation: Operation<Id, Path>,
): Operation<Id, Path> {
  return Object.freeze(operation);
}

export type Row = Pick<Operation, "summary"> & Partial<Operation>;

/** What operations have in common. */
export type CommonMembers = Pick<Operation, "family" | "tag" | "audience" | "security"> & Partial<Operation>;

/** Defines operations that have these members in common. A row replaces them, except that the answers of both count. */
export function operationsWith(common: CommonMembers) {
  return <const Id extends string, const Path extends string>(
    method: HttpMethod,
    path: Path,
    operationId: Id,
    row: Row,
  ): Operation<Id, Path> =>
    defineOperation({ ...common, ...row, answers: { ...common.answers, ...row.answers }, method, path, operationId });
}
