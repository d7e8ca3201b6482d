import { BruteForceFlushRequest, CacheFlushRequest, type OperationId, operation } from "@postern/shared/contracts";
import { type Audit, type AuditOutcome, type AuditRecord, auditedCaller } from "@postern/shared/domain/audit";
import { flushedAddress } from "@postern/shared/domain/flush";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck, guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

export function malformed(what: string): AppError {
  return new AppError("REQUEST_MALFORMED", { publicMessage: `invalid payload: ${what}` });
}

interface BodyCheck<Body> {
  accepts(value: unknown): value is Body;
  explain(value: unknown): string;
}

/** A body as its schema describes it; unknown members are ignored. @throws AppError REQUEST_MALFORMED */
export function readBody<Body>(check: BodyCheck<Body>, body: unknown): Body {
  if (!check.accepts(body)) throw malformed(check.explain(body));
  return body;
}

const cacheFlush = compileCheck(CacheFlushRequest);
const bruteForceFlush = compileCheck(BruteForceFlushRequest);

export function readCacheFlush(body: unknown): CacheFlushRequest {
  return { user: readBody(cacheFlush, body).user };
}

export function readBruteForceFlush(body: unknown): Required<BruteForceFlushRequest> {
  const { ip_address, rule_name, protocol = "", oidc_cid = "" } = readBody(bruteForceFlush, body);
  if (flushedAddress(ip_address) === undefined)
    throw malformed("ip_address: must be an IP address, or a network as it appears in the list");
  return { ip_address, rule_name, protocol, oidc_cid };
}

export function sessionOf({ caller, id }: FastifyRequest): string {
  return caller?.session ?? id;
}

/** A parameter of the path. */
export function paramOf({ params }: FastifyRequest, name: string): string {
  return String(Object(params)[name] ?? "");
}

/** Who asks, and by which request, as audit records name it. */
export const auditedRequest = (request: FastifyRequest) => ({
  ...auditedCaller(request.caller),
  session: sessionOf(request),
});

/** The audit records about a request. */
export function auditing(
  { audit }: { readonly audit: Audit },
  request: FastifyRequest,
  about: Omit<AuditRecord, "outcome" | keyof ReturnType<typeof auditedRequest>>,
) {
  const { event, target, reason, ...rest } = about;
  const line = { event, ...auditedRequest(request), ...rest };
  const write = (outcome: AuditOutcome, more: Pick<AuditRecord, "target" | "reason"> = {}): void =>
    audit.record({ ...line, outcome, target, reason, ...more });
  return {
    write,
    /** Runs the work; if it fails, that is recorded too. */
    run: async <Result>(work: () => Promise<Result>, onError: AuditOutcome = "undecided"): Promise<Result> => {
      try {
        return await work();
      } catch (error) {
        write(onError);
        throw error;
      }
    },
  };
}

type Handler<Context> = (request: FastifyRequest, reply: FastifyReply, context: Context) => Promise<unknown>;

/** Registers operations of API callers, each with its scopes and query parameters. */
export function serve<Context extends { readonly settings: { readonly identifier: string } }>(
  app: FastifyInstance,
  context: Context,
  handlers: readonly (readonly [OperationId, Handler<Context>])[],
): void {
  for (const [id, handle] of handlers) {
    const route = guardedRoute(operation(id), context.settings.identifier);
    app.route({ ...route, handler: (request, reply) => handle(request, reply, context) });
  }
}
