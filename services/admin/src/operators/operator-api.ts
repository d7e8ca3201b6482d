import type { Readable } from "node:stream";
import {
  fillPath,
  type HelpdeskRule,
  type OperationId,
  type OperatorRight,
  operation,
  scopesOfRole,
} from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import {
  type AssertionAudience,
  type Caller,
  callerAssertionHeader,
  type SignCaller,
  scopeName,
} from "@postern/shared/platform/http";

/** The operator for whom the console calls the API, and the request that it serves. */
export interface AskingOperator extends OperatorRight {
  readonly account: string;
  readonly clientIp: string;
  /** GUID of the request. */
  readonly session: string;
}

export interface ApiCall {
  readonly operation: OperationId;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, string>>;
}

export interface ApiAnswer {
  readonly status: number;
  /** Undefined unless it is JSON. */
  readonly body: unknown;
}

export interface ApiStream {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body: Readable;
}

/** A request to the service that owns the operation. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
}

export interface ApiResponse {
  readonly statusCode: number;
  readonly body: string;
}

/** How a request reaches the management interface of this process. */
export interface OwnApi {
  readonly send: (request: ApiRequest) => Promise<ApiResponse>;
  /** For an answer that is read in parts. */
  readonly stream: (request: ApiRequest) => Promise<ApiStream>;
}

const methods = { get: "GET", post: "POST", put: "PUT", patch: "PATCH", delete: "DELETE" } as const;

/** Undefined for what is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Over HTTP, within the time that an operation may take. */
export function sendTo(origin: string, timeoutMs: number) {
  return async ({ method, url, headers, payload }: ApiRequest): Promise<ApiResponse> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const body = payload ?? null;
    const response = await fetch(`${origin}${url}`, { method, headers, body, signal, redirect: "manual" });
    return { statusCode: response.status, body: await response.text() };
  };
}

/**
 * The console is an API caller like any other, with the scopes of the operator's role: each operation checks them itself. An
 * operator of one domain is a caller that is limited to it. The caller assertion takes the place of the token (ADR 0024).
 */
export function createWriteRequest(sign: SignCaller, identifier: string, helpdesk: () => HelpdeskRule) {
  return async ({ account, role, domain, clientIp, session }: AskingOperator, call: ApiCall) => {
    const { family, method, path } = operation(call.operation);
    const { owner } = family;
    if (owner === "gateway") throw new Error(`${call.operation} is not an operation for the console`);
    const scopes = scopesOfRole(role, helpdesk()).map((word) => scopeName(identifier, word));
    const limit = domain !== undefined && { domains: [domain], defaultDomain: domain };
    const caller: Caller = { method: "bearer", name: account, scopes, ...limit, clientIp, session };
    const query = new URLSearchParams({ ...call.query }).toString();
    const hasBody = call.body !== undefined;
    const request: ApiRequest = {
      method: methods[method],
      url: `${fillPath(path, call.path ?? {})}${query === "" ? "" : `?${query}`}`,
      headers: {
        [callerAssertionHeader]: await sign(caller, owner),
        ...(hasBody && { "content-type": "application/json" }),
      },
      ...(hasBody && { payload: JSON.stringify(call.body) }),
    };
    return { owner, request };
  };
}

const silent = (owner: AssertionAudience) => (cause: unknown) => {
  throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `${owner} does not answer the console`, cause });
};

/** The management interface as an operator uses it. Both methods throw AppError UPSTREAM_UNAVAILABLE. */
export function createOperatorApi(
  writeRequest: ReturnType<typeof createWriteRequest>,
  own: OwnApi,
  sendToIdp: OwnApi["send"],
) {
  const send = { admin: own.send, idp: sendToIdp };
  return {
    /** Calls an operation. */
    ask: async (operator: AskingOperator, call: ApiCall): Promise<ApiAnswer> => {
      const { owner, request } = await writeRequest(operator, call);
      const answer = await send[owner](request).catch(silent(owner));
      return { status: answer.statusCode, body: parsedJson(answer.body) };
    },
    /** Calls an operation of admin whose answer may be long. */
    stream: async (operator: AskingOperator, call: ApiCall): Promise<ApiStream> => {
      const { owner, request } = await writeRequest(operator, call);
      if (owner !== "admin") throw new Error(`${call.operation} is not an operation of admin`);
      return own.stream(request).catch(silent(owner));
    },
  };
}

export type AskApi = ReturnType<typeof createOperatorApi>["ask"];
