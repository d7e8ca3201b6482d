import { authFields } from "@postern/shared/contracts";
import { type CborEncodable, encodeCbor } from "@postern/shared/platform/cbor";
import type { Secret } from "@postern/shared/platform/crypto";
import type { BackendQuery, RequestFacts } from "../backend.ts";

type Row = (typeof authFields)[keyof typeof authFields];
type TextMember = Extract<Row, { readonly kind: "text" }>["member"];

/**
 * The facts that travel on. What only describes this site's own caller does not: the other server would take the mail server's address, or
 * its program, for the user's.
 */
function textsOf(
  query: BackendQuery,
  password: Secret | undefined,
): Readonly<Partial<Record<TextMember, string | undefined>>> {
  const { username, protocol, clientIp, clientPort, localIp, localPort } = query;
  const request: Partial<RequestFacts> = query.request ?? {};
  const client = request.clientIpIsPeer === true ? {} : { clientIp, clientPort };
  return {
    username,
    password: password?.reveal(),
    protocol,
    ...client,
    localIp,
    localPort,
    method: request.method,
    clientHostname: request.clientHostname,
    clientId: request.clientId,
    externalSessionId: request.externalSessionId ?? request.session,
    userAgent: request.userAgentIsCaller === true ? undefined : request.userAgent,
    oidcClientId: request.oidcClientId,
  };
}

/** The fields of a request in the spelling of the interface; fields without a value are left out. */
export function requestFields(query: BackendQuery, password: Secret | undefined): Record<string, string | number> {
  const texts = textsOf(query, password);
  const { tls, tlsDetails = {}, loginAttempt }: Partial<RequestFacts> = query.request ?? {};
  const valueOf = (row: Row): string | number | undefined => {
    switch (row.kind) {
      case "text":
        return texts[row.member];
      case "tls":
        return tlsDetails[row.member];
      case "flag":
        return tls === true ? "on" : undefined;
      case "count":
        return loginAttempt;
    }
  };
  // `ssl_verify` is the older name of a field.
  const entries = Object.entries(authFields).flatMap(([name, row]) => {
    const value = name === "ssl_verify" ? undefined : valueOf(row);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

export function encodeBody(format: "json" | "cbor", fields: Readonly<Record<string, CborEncodable>>): Buffer {
  return format === "cbor" ? Buffer.from(encodeCbor(fields)) : Buffer.from(JSON.stringify(fields));
}

export type RemoteMode = "no-auth" | "list-accounts";

/** The path and query of an endpoint for one request. */
export function targetOf(url: URL, mode: RemoteMode | undefined, { request }: Pick<BackendQuery, "request">): string {
  const query = new URLSearchParams(url.search);
  if (mode !== undefined) query.set("mode", mode);
  if (request?.memoryCache === false) query.set("in-memory", "0");
  if (request?.sharedCache === false) query.set("cache", "0");
  const text = query.toString();
  return text === "" ? url.pathname : `${url.pathname}?${text}`;
}
