import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from "fastify";
import type { Operation } from "../../contracts/index.ts";
import { type Caller, mayUse, type ReadCaller } from "./caller-assertion.ts";
import { sessionHeader } from "./header-names.ts";
import { createMethodTable, ignoreQueryMethod, maxParamLength } from "./method-table.ts";
import { routeOf } from "./operation-routes.ts";
import { anyScopeOf, scopeName } from "./route-scopes.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The API caller that the gateway has authenticated, in a service behind it. */
    caller: Caller | null;
  }
}

const basicChallenge = 'Basic realm="postern", charset="UTF-8"';
export const bearerChallenge = 'Bearer realm="postern"';

/** `WWW-Authenticate` values for API callers: the configured ways to authenticate. */
export function callerChallenges(allowed: { readonly basic: boolean; readonly bearer: boolean }): readonly string[] {
  if (!allowed.bearer) return [basicChallenge];
  return allowed.basic ? [basicChallenge, bearerChallenge] : [bearerChallenge];
}

/** The challenge of RFC 6750 §3.1; it names the scopes, one of which is required. */
export function scopeChallenge(anyScope: readonly string[]): string {
  const scope = anyScope.length === 0 ? "" : `, scope="${anyScope.join(" ")}"`;
  return `${bearerChallenge}, error="insufficient_scope"${scope}`;
}

/** A 401 needs a challenge (RFC 9110 §15.5.2). Adds the current challenges to every 401 whose route sets none. */
export function challengeUnauthorized(app: FastifyInstance, challenges: () => readonly string[]): void {
  app.addHook("onSend", async (_request, reply) => {
    if (reply.statusCode !== 401 || reply.hasHeader("www-authenticate")) return;
    reply.header("www-authenticate", challenges().join(", "));
  });
}

/** Whether the answer is for a browser: it accepts HTML by name, where programs send `*` or JSON. */
export function acceptsHtml(accept = ""): boolean {
  return accept
    .toLowerCase()
    .split(",", 32)
    .some((item) => {
      const [type = "", ...parameters] = item.split(";").map((part) => part.trim());
      if (type !== "text/html" && type !== "application/xhtml+xml") return false;
      return !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
    });
}

interface RenderedPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Vouch = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/** Options of a Fastify instance: its router answers an undecodable path before any hook runs. */
export function unreadablePaths(identifier: string): Pick<FastifyServerOptions, "routerOptions" | "frameworkErrors"> {
  return {
    routerOptions: { maxParamLength },
    frameworkErrors: (_error, request, reply): void => {
      const body = JSON.stringify({ error: "the path cannot be read" });
      const headers = {
        [sessionHeader(identifier)]: request.id,
        "Content-Type": "application/json; charset=utf-8",
        "Content-Length": body.length,
      };
      reply.hijack();
      reply.raw.writeHead(400, headers);
      reply.raw.end(body);
    },
  };
}

/** Rejects requests that did not come through the gateway with 401. */
export function requireCaller(read: ReadCaller): Vouch {
  return async (request, reply) => {
    const caller = await read(request.raw.headers);
    if (caller === undefined) return reply.code(401).send({ error: "missing or invalid caller assertion" });
    request.caller = caller;
    return undefined;
  };
}

/**
 * A Bearer caller needs one of the scopes; otherwise the answer is 403, with the scopes named (RFC 6750 §3.1; docs/reference/api/management.yaml).
 */
function requireScope(...anyScope: readonly string[]) {
  const challenge = scopeChallenge(anyScope);
  const error = `missing required scope: ${anyScope.join(" or ")}`;
  return async ({ caller }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    if (caller !== null && mayUse(caller, anyScope)) return undefined;
    return reply.code(403).header("www-authenticate", challenge).send({ error });
  };
}

/**
 * Rejects query parameters that the operation does not have. Ignoring `offset` or a misspelt filter would answer another question than the
 * caller's, without a sign of it.
 */
function requireKnownQuery({ request }: Operation) {
  const known = new Set(Object.keys(request?.query?.properties ?? {}));
  return async ({ query }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const unknown = Object.keys(Object(query)).find((name) => !known.has(name));
    if (unknown === undefined) return undefined;
    const names = known.size === 0 ? "this operation has none" : `this operation has ${[...known].join(", ")}`;
    return reply.code(400).send({ error: `unknown query parameter ${unknown.slice(0, 100)}: ${names}` });
  };
}

/** The route of an operation of API callers, with its scopes and query parameters. */
export function guardedRoute(operation: Operation, identifier: string) {
  const { method, path } = operation;
  const anyScope = anyScopeOf(method.toUpperCase(), path).map((word) => scopeName(identifier, word));
  const onRequest = [requireScope(...anyScope), requireKnownQuery(operation)];
  return { ...routeOf(operation), onRequest, config: { concerns: operation.concerns } };
}

/** Authenticates the caller and adds the session header to every answer, including those that bypass Fastify. */
export function nameSessions(app: FastifyInstance, identifier: string, vouch: Vouch): void {
  const name = sessionHeader(identifier);
  app.addHook("onRequest", async (request, reply) => {
    reply.raw.setHeader(name, request.id);
    const refused = await vouch(request, reply);
    if (request.caller !== null && !reply.raw.headersSent) reply.raw.setHeader(name, request.caller.session);
    return refused;
  });
}

/**
 * Answers 405 with `Allow` where a path supports other methods (RFC 9110 §15.5.6), otherwise 404, with `page` for browsers. Call it before the
 * routes are registered.
 */
export function answerUnrouted(app: FastifyInstance, page?: (request: FastifyRequest) => RenderedPage): void {
  ignoreQueryMethod(app);
  const methods = createMethodTable();
  app.addHook("onRoute", ({ method, url }) => methods.add(method, url));
  app.setNotFoundHandler((request, reply) => {
    const found = methods.find(request.raw.url ?? "/");
    if (found === undefined) {
      if (page === undefined || !acceptsHtml(request.raw.headers.accept)) {
        return reply.code(404).send({ error: "not found" });
      }
      const { status, headers, body } = page(request);
      for (const [name, value] of Object.entries(headers)) reply.header(name, value);
      return reply.code(status).send(body);
    }
    return reply.code(405).header("allow", found.methods.join(", ")).send({ error: "method not allowed" });
  });
}
