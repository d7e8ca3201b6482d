import { type OperationId, operation } from "@postern/shared/contracts";
import { type AuditOutcome, auditedCaller } from "@postern/shared/domain/audit";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { sessionOf } from "../read-request.ts";

type RegionContext = Pick<AdminContext, "regions" | "audit" | "settings">;

interface NameParams {
  readonly Params: { readonly name: string };
}

const noRegions = (reply: FastifyReply): FastifyReply =>
  reply.code(404).send({ error: "runtime.regions.name is not set" });

function getRegions({ regions }: RegionContext) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    regions === undefined ? noRegions(reply) : reply.header("cache-control", "no-store").send(await regions.list());
}

function deleteRegion({ regions, audit }: RegionContext) {
  return async (request: FastifyRequest<NameParams>, reply: FastifyReply): Promise<FastifyReply> => {
    if (regions === undefined) return noRegions(reply);
    const { name: target } = request.params;
    const about = {
      event: "region.forget",
      ...auditedCaller(request.caller),
      target,
      session: sessionOf(request),
    } as const;
    const write = (outcome: AuditOutcome): void => audit.record({ ...about, outcome });
    const isKnown = await regions.forget(target).catch((error: unknown) => {
      write("undecided");
      throw error;
    });
    write(isKnown ? "ok" : "denied");
    return isKnown ? reply.code(202).send() : reply.code(404).send({ error: "no other region has this name" });
  };
}

/** `/api/v1/regions`: the data centres with which this one shares bans and revocations. */
export function registerRegions(app: FastifyInstance, context: RegionContext): void {
  const guarded = (id: OperationId) => guardedRoute(operation(id), context.settings.identifier);
  app.route({ ...guarded("listRegions"), handler: getRegions(context) });
  app.route<NameParams>({ ...guarded("forgetRegion"), handler: deleteRegion(context) });
}
