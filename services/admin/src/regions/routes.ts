import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { auditing, paramOf, serve } from "../read-request.ts";

type RegionContext = Pick<AdminContext, "regions" | "audit" | "settings">;

const noRegions = (reply: FastifyReply): FastifyReply =>
  reply.code(404).send({ error: "runtime.regions.name is not set" });

async function getRegions(_request: FastifyRequest, reply: FastifyReply, { regions }: RegionContext) {
  return regions === undefined
    ? noRegions(reply)
    : reply.header("cache-control", "no-store").send(await regions.list());
}

async function deleteRegion(request: FastifyRequest, reply: FastifyReply, { regions, audit }: RegionContext) {
  if (regions === undefined) return noRegions(reply);
  const target = paramOf(request, "name");
  const { write, run } = auditing({ audit }, request, { event: "region.forget", target });
  const isKnown = await run(() => regions.forget(target));
  write(isKnown ? "ok" : "denied");
  return isKnown ? reply.code(202).send() : reply.code(404).send({ error: "no other region has this name" });
}

/** `/api/v1/regions`: the data centres with which this one shares bans and revocations. */
export function registerRegions(app: FastifyInstance, context: RegionContext): void {
  serve(app, context, [
    ["listRegions", getRegions],
    ["forgetRegion", deleteRegion],
  ]);
}
