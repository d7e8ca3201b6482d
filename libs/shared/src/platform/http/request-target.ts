import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { Duplex } from "node:stream";
import { operations } from "../../contracts/index.ts";
import { sessionHeader } from "./header-names.ts";
import { writeRefusal } from "./unreadable-request.ts";

const canonical: ReadonlyMap<string, string> = new Map(
  operations.flatMap(({ path, anyCase }) => (anyCase === true ? [[path.toLowerCase(), path] as const] : [])),
);
const longest = Math.max(...[...canonical.keys()].map(({ length }) => length));
const pathEnd = /[?#]/;

/** The URL of a request with the operation's own spelling of its path, where the operation ignores the case of letters. */
export function withKnownCase(url: string): string {
  const end = url.search(pathEnd);
  const length = end === -1 ? url.length : end;
  if (length > longest) return url;
  const known = canonical.get(url.slice(0, length).toLowerCase());
  return known === undefined ? url : known + url.slice(length);
}

/** RFC 9112 §3.2.2; the path ends with the target, because a fragment is never sent. */
const absoluteForm = /^https?:\/\/([^/?#]+)(\/[^]*|\?[^]*)?$/iu;
const defaultPort = /:(?:80|443)?$/u;

function sameHost(left: string, right: string): boolean {
  const [one, other] = [left, right].map((host) => host.toLowerCase().replace(defaultPort, ""));
  return one === other;
}

/**
 * The target of a request as path and query, as which the routers read it: undefined for a target of another form, and for an absolute one
 * that contradicts the `Host` by which the request was routed.
 */
export function originForm({ url = "", headers }: Pick<IncomingMessage, "url" | "headers">): string | undefined {
  if (url.startsWith("/")) return url;
  const [, authority, rest = "/"] = absoluteForm.exec(url) ?? [];
  if (authority === undefined || !sameHost(authority, headers.host ?? authority)) return undefined;
  return rest.startsWith("/") ? rest : `/${rest}`;
}

const refusal = { status: 400, error: "the request target is not a path of this host" } as const;

/** Gives the handler requests in origin form (RFC 9112 §3.2.1), with paths spelt as the routers know them, and answers 400 to all others. */
export function withOriginForm(handle: RequestListener, identifier: string): RequestListener {
  const body = JSON.stringify({ error: refusal.error });
  return (request, response) => {
    const target = originForm(request);
    if (target === undefined) {
      response.writeHead(refusal.status, {
        [sessionHeader(identifier)]: randomUUID(),
        "Content-Type": "application/json; charset=utf-8",
        "Content-Length": body.length,
      });
      response.end(body);
      return;
    }
    request.url = withKnownCase(target);
    handle(request, response);
  };
}

/** Answers `CONNECT` with 400, where Node would close the connection without an answer. */
export function refuseTunnels(server: Pick<Server, "on">, identifier: string): void {
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => writeRefusal(socket, refusal, identifier));
}
