import { operation } from "@postern/shared/contracts";
import { isLuaObject, type LuaObject, type LuaValue } from "@postern/shared/domain/scripts";
import { AppError, fromUnknown } from "@postern/shared/platform/errors";
import { type Caller, mayUse, routeOf, scopeChallenge } from "@postern/shared/platform/http";
import { steadyClock } from "@postern/shared/platform/time";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { AdminContext } from "../context.ts";
import type { Hook } from "./hook-table.ts";

const token = "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$";
const line = "^[\\u0020-\\u007e]*$";

/** The table that `response` returns. */
const Response = Compile(
  Type.Object(
    {
      status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
      content_type: Type.Optional(Type.String({ pattern: line })),
      headers: Type.Optional(
        Type.Record(Type.String({ pattern: token }), Type.String({ pattern: line }), { additionalProperties: false }),
      ),
      body: Type.Optional(Type.Unknown()),
    },
    { additionalProperties: false },
  ),
);

/** Set by the servers between the script and its caller. */
const ownHeaders: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection", "date"]);

function bodyOf(value: unknown): Buffer {
  if (typeof value === "string") return Buffer.from(value);
  if (value instanceof Uint8Array) return Buffer.from(value);
  return value === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(value));
}

/** A table becomes JSON, a text the body, nil 204. Throws `SCRIPT_FAILED` for an invalid response. */
export function hookAnswer(value: LuaValue, script: string, contentType: string) {
  if (value === undefined) return { status: 204, headers: {}, body: Buffer.alloc(0) };
  const marked = isLuaObject(value) ? value.$response : undefined;
  if (marked === undefined) return { status: 200, headers: { "content-type": contentType }, body: bodyOf(value) };
  const response: unknown = marked;
  if (!Response.Check(response)) {
    const [first] = Response.Errors(response);
    throw new AppError("SCRIPT_FAILED", { detail: `${script}: ${first?.instancePath ?? ""} ${first?.message ?? ""}` });
  }
  const { status = 200, headers = {}, content_type = contentType, body } = response;
  const kept = Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase()));
  return { status, headers: { "content-type": content_type, ...Object.fromEntries(kept) }, body: bodyOf(body) };
}

const prefix = `${operation("getCustomHook").family.prefix}/`;

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

export type HookContext = Pick<AdminContext, "hooks" | "live" | "adminMetrics" | "logger" | "settings">;

interface Refusal {
  readonly status: 401 | 403;
  readonly error: string;
  readonly challenge?: string;
}

/** Whether a caller may use a hook; undefined if so. */
function refusalOf(hook: Hook, caller: Caller | null): Refusal | undefined {
  if (!hook.isEnabled) return { status: 403, error: "hook is disabled" };
  if (hook.isPublic) return undefined;
  if (caller === null || caller.method === "none") return { status: 401, error: "missing credentials" };
  if (mayUse(caller, hook.scopes)) return undefined;
  return { status: 403, error: "insufficient permissions", challenge: scopeChallenge(hook.scopes) };
}

/** The request table of `hook` (docs/operate/scripts/hooks.md). */
function requestTable(request: FastifyRequest, location: string): LuaObject {
  const url = new URL(request.raw.url ?? "/", "http://localhost");
  const headers = Object.entries(request.raw.headers).filter(([name]) => !name.startsWith("x-service-caller"));
  return {
    method: request.method,
    location,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(
      headers.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
    ),
    body: request.body instanceof Uint8Array ? request.body : undefined,
    session: request.caller?.session ?? request.id,
    client_ip: request.caller?.clientIp,
    caller: request.caller === null ? undefined : { method: request.caller.method, scopes: request.caller.scopes },
  };
}

/** Runs the hook of the request's method and location, whatever the method is. */
function anyHook(context: HookContext) {
  const { hooks, live, adminMetrics, logger } = context;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { disabled, hooks: table, timeoutMs } = live.current.hooks;
    const [path = ""] = (request.raw.url ?? "").split("?", 1);
    const location = path.slice(prefix.length);
    const hook = table.get(`${request.method} ${location}`);
    const refusal: Refusal | undefined = disabled
      ? { status: 403, error: "custom hooks are disabled" }
      : hook && refusalOf(hook, request.caller);
    if (refusal !== undefined) {
      adminMetrics.hookAnswered("refused");
      if (refusal.challenge !== undefined) reply.header("www-authenticate", refusal.challenge);
      return reply.code(refusal.status).send({ error: refusal.error });
    }
    if (hook === undefined) {
      adminMetrics.hookAnswered("unknown");
      const others = methods.filter((method) => table.has(`${method} ${location}`));
      if (others.length > 0)
        return reply.code(405).header("allow", others.join(", ")).send({ error: "method not allowed" });
      return reply.code(404).send({ error: "hook unknown" });
    }
    const session = request.caller?.session ?? request.id;
    try {
      const args = [requestTable(request, location)];
      const call = { script: hook.script, entry: "hook", args, deadline: steadyClock.now() + timeoutMs, session };
      const { status, headers, body } = hookAnswer(await hooks.runner.run(call), hook.script, hook.contentType);
      adminMetrics.hookAnswered("ok");
      return reply.code(status).headers(headers).send(body);
    } catch (thrown) {
      const error = fromUnknown(thrown);
      adminMetrics.hookAnswered("failed");
      logger[error.row.logLevel]({ session, script: hook.script, err: error }, "a hook failed");
      return reply.code(500).send({ error: error.publicMessage });
    }
  };
}

/** `ANY /api/v1/custom/{hookName}`: bodies of any type. */
export function registerHooks(app: FastifyInstance, context: HookContext): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.route({ ...routeOf(operation("getCustomHook")), method: "HEAD", handler: anyHook(context) });
  app.route({ ...routeOf(operation("getCustomHook")), exposeHeadRoute: false, handler: anyHook(context) });
  app.route({ ...routeOf(operation("postCustomHook")), handler: anyHook(context) });
  app.route({ ...routeOf(operation("putCustomHook")), handler: anyHook(context) });
  app.route({ ...routeOf(operation("patchCustomHook")), handler: anyHook(context) });
  app.route({ ...routeOf(operation("deleteCustomHook")), handler: anyHook(context) });
}
