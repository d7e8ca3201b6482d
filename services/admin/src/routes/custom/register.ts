import { fromUnknown } from "@postern/shared/errors";
import { type Caller, mayUse } from "@postern/shared/http";
import type { LuaObject } from "@postern/shared/scripts";
import { systemClock } from "@postern/shared/time";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { hookAnswer } from "../../hooks/hook-answer.ts";
import type { Hook } from "../../hooks/hook-table.ts";

const prefix = "/api/v1/custom/";

type HookContext = Pick<AdminContext, "hooks" | "live" | "adminMetrics" | "logger" | "settings">;

interface Refusal {
  readonly status: 401 | 403;
  readonly error: string;
}

/** Contract, "Other authentication", rule 5, and "Caller rejection outcomes". */
function refusalOf(hook: Hook, caller: Caller | null): Refusal | undefined {
  if (!hook.isEnabled) return { status: 403, error: "hook is disabled" };
  if (hook.isPublic) return undefined;
  if (caller === null || caller.method === "none") return { status: 401, error: "missing credentials" };
  return mayUse(caller, hook.scopes) ? undefined : { status: 403, error: "insufficient permissions" };
}

/** A request as `hook` gets it: docs/guides/scripts/hooks.md. */
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

function runHook(context: HookContext) {
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
      return reply.code(refusal.status).send({ error: refusal.error });
    }
    if (hook === undefined) {
      adminMetrics.hookAnswered("unknown");
      return reply.code(404).send({ error: "hook unknown" });
    }
    const session = request.caller?.session ?? request.id;
    try {
      const args = [requestTable(request, location)];
      const call = { script: hook.script, entry: "hook", args, deadline: systemClock.now() + timeoutMs, session };
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

/** `ANY /api/v1/custom/{hookName}` (contract, "Configuration, tokens, hooks, misc"): bodies of any type. */
export function registerHooks(app: FastifyInstance, context: HookContext): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.route({
    method: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    url: `${prefix}*`,
    exposeHeadRoute: false,
    handler: runHook(context),
  });
}
