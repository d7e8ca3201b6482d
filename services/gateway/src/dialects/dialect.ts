import type { IncomingHttpHeaders } from "node:http";
import type { AuthDecision, AuthRequest, Dialect, Operation } from "@postern/shared/contracts";
import type { HttpReply } from "../http/reply.ts";
import type { RequestFacts } from "./complete-request.ts";

export interface DialectInput {
  readonly url: string;
  readonly contentType: string | undefined;
  /** Headers as received: name, value, name, value … (`IncomingMessage.rawHeaders`). */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly facts: RequestFacts;
}

/** What a dialect reads whose fields are in the body. */
export type BodyInput = Omit<DialectInput, "rawHeaders">;

/** The operations of a dialect, and its two functions: bytes to a request, a decision to bytes. */
export interface DialectEndpoint {
  readonly dialect: Dialect;
  readonly operations: readonly Operation[];
  /** @throws AppError of kind `caller`: the request is answered with 400. */
  readonly parse: (input: DialectInput) => AuthRequest;
  /** `headers` are those of the request, which may be malformed otherwise. */
  readonly decision: (decision: AuthDecision, session: string, headers: IncomingHttpHeaders) => HttpReply;
  readonly malformed: (reason: string, session: string) => HttpReply;
  /** For dialects whose callers treat 400 as a fault of the server: names that no account can have are denied instead. */
  readonly deniesUnacceptableCredentials?: boolean;
  /** Whether the query selects the operation, and `mode=list-accounts` is supported (json, cbor and header). */
  readonly listsAccounts?: boolean;
  /** The credentials are the user's: there is no API caller, and each request takes a token of the failure budget. */
  readonly takesUserCredentials?: boolean;
}
