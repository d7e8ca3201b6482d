import { type OperationId, operation } from "@postern/shared/contracts";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import type { AdminContext } from "../../context.ts";
import { deleteBruteForceFlush } from "./delete-flush.ts";
import { deleteBruteForceFlushAsync } from "./delete-flush-async.ts";
import { listBruteForce } from "./get-list.ts";

export function registerBruteForceRoutes(app: FastifyInstance, context: AdminContext): void {
  const { flushes, jobs, settings } = context;
  const guarded = (id: OperationId) => guardedRoute(operation(id), settings.identifier);
  app.route({ ...guarded("flushBruteForceRule"), handler: deleteBruteForceFlush(flushes, context) });
  app.route({ ...guarded("enqueueBruteForceRuleFlush"), handler: deleteBruteForceFlushAsync(jobs.queue, context) });
  app.route({ ...guarded("listBruteForceEntries"), handler: listBruteForce(context) });
  app.route({ ...guarded("listFilteredBruteForceEntries"), handler: listBruteForce(context) });
}
