import {
  type AuthRequest,
  type Dialect,
  normalisedProtocol,
  parseHops,
  userNameFault,
} from "@postern/shared/contracts";
import { readClientAddress } from "@postern/shared/platform/net";
import type { ReportIgnoredAddress } from "../connection/addresses.ts";
import type { BodyFields } from "./auth-fields.ts";
import type { AuthQuery } from "./query.ts";
import { CredentialsError, malformed } from "./request-error.ts";

/** What the gateway knows about a request apart from its body. */
export interface RequestFacts {
  readonly session: string;
  readonly dialect: Dialect;
  readonly clientIp: string;
  /** Empty if the client's port is unknown. */
  readonly clientPort: string;
  /** Whether `clientIp` is only the address of the API caller, because no accepted header contains the client's. */
  readonly clientIpIsPeer: boolean;
  readonly reportIgnoredAddress?: ReportIgnoredAddress;
  readonly userAgent: string | undefined;
  readonly acceptLanguage: string | undefined;
  /** The header with the engines that have passed the request on. */
  readonly hops?: string | readonly string[] | undefined;
}

/** The trimmed user name: surrounding spaces are typing errors, and backends treat them differently. */
function usernameOf(
  { username: rawUsername, protocol }: BodyFields,
  { operation }: AuthQuery,
  clientIp?: string,
): string {
  const isListing = operation === "list-accounts";
  if (rawUsername === undefined) {
    if (isListing) return "";
    throw malformed("username is required");
  }
  const username = rawUsername.trim();
  const fault = userNameFault(rawUsername) ?? (username === "" && !isListing ? "username is empty" : undefined);
  if (fault !== undefined) throw new CredentialsError(fault, { username: rawUsername, protocol, clientIp });
  return username;
}

/** The protocol if the caller names none; a site has its own searches for listings. */
const defaultProtocol = { authenticate: "default", lookup: "default", "list-accounts": "account-provider" } as const;

/** In lower case, like the configured protocols, because some mail servers send `IMAP`. */
function protocolOf({ protocol = "" }: BodyFields, { operation }: AuthQuery): string {
  return normalisedProtocol(protocol) || defaultProtocol[operation];
}

/**
 * Takes the client from the body if it is valid there, otherwise from the connection. A port belongs to its address, so the connection's
 * port is never combined with an address from the body.
 */
function putClient(request: AuthRequest, { clientIp: rawClientIp }: BodyFields, facts: RequestFacts): void {
  const named = rawClientIp === undefined ? undefined : readClientAddress(rawClientIp);
  if (named !== undefined) {
    request.clientIp = named.address;
    if (named.port !== undefined) request.clientPort ??= named.port;
    return;
  }
  request.clientIp = facts.clientIp;
  if (facts.clientIpIsPeer) request.clientIpIsPeer = true;
  if (rawClientIp !== undefined) {
    facts.reportIgnoredAddress?.({
      session: facts.session,
      dialect: facts.dialect,
      reason: "unreadable",
      value: rawClientIp,
    });
  }
  if (facts.clientPort !== "") request.clientPort ??= facts.clientPort;
}

/** The server's address in canonical form; a name that a site sends instead is left unchanged. */
function putServer(request: AuthRequest): void {
  const named = request.localIp === undefined ? undefined : readClientAddress(request.localIp);
  if (named === undefined) return;
  request.localIp = named.address;
  if (named.port !== undefined) request.localPort ??= named.port;
}

/** With the dialect `basic` the user's own program sends the request. */
function putProgram(request: AuthRequest, userAgent: string | undefined): void {
  if (userAgent === undefined || request.userAgent !== undefined) return;
  request.userAgent = userAgent;
  if (request.dialect !== "basic") request.userAgentIsCaller = true;
}

/** A list that cannot be read would hide a loop. */
function putHops(request: AuthRequest, header: string | readonly string[]): void {
  const hops = parseHops(String(header));
  if (hops === undefined) throw malformed("the header with the hops is malformed");
  request.hops = hops;
}

/**
 * Combines body, query and connection to an `AuthRequest`. The body takes precedence over the connection, because the caller is
 * authenticated.
 *
 * @throws AppError REQUEST_MALFORMED if a required field is missing.
 */
export function completeRequest(fields: BodyFields, query: AuthQuery, facts: RequestFacts): AuthRequest {
  const { userAgent, acceptLanguage, session, dialect } = facts;
  // One copy of the fields, to which missing ones are added: merging with spread costs three times as much.
  const request: AuthRequest = {
    ...fields,
    protocol: protocolOf(fields, query),
    username: "",
    session,
    dialect,
    operation: query.operation,
    memoryCache: query.memoryCache,
    sharedCache: query.sharedCache,
  };
  putClient(request, fields, facts);
  putServer(request);
  request.username = usernameOf(fields, query, request.clientIp);
  if (query.operation === "authenticate" && fields.password === undefined) throw malformed("password is required");
  putProgram(request, userAgent);
  if (acceptLanguage !== undefined) request.acceptLanguage ??= acceptLanguage;
  if (facts.hops !== undefined) putHops(request, facts.hops);
  return request;
}
