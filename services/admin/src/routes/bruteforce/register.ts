import { type OperationId, operation } from "@postern/shared/contracts";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import type { AdminContext } from "../../context.ts";
import { deleteBruteForceFlush } from "./delete-flush.ts";
import { deleteBruteForceFlushAsync } from "./delete-flush-async.ts";
import { listBruteForce } from "./list.ts";

export function registerBruteForceRoutes(app: FastifyInstance, context: AdminContext): void {
  const { flushes, jobs, settings } = context;
  const place = (id: OperationId) => guardedRoute(operation(id), settings.identifier);
  app.route({ ...place("flushBruteForceRule"), handler: deleteBruteForceFlush(flushes, context) });
  app.route({ ...place("enqueueBruteForceRuleFlush"), handler: deleteBruteForceFlushAsync(jobs.queue, context) });
  const list = listBruteForce(context);
  app.route({ ...place("listBruteForceEntries"), handler: list });
  app.route({ ...place("listFilteredBruteForceEntries"), handler: list });
}
