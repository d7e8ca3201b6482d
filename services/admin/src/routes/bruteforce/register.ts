import type { FastifyInstance } from "fastify";
import type { AdminContext } from "../../context.ts";
import { deleteBruteForceFlush } from "./delete-flush.ts";
import { deleteBruteForceFlushAsync } from "./delete-flush-async.ts";
import { listBruteForce } from "./list.ts";

export function registerBruteForceRoutes(app: FastifyInstance, context: AdminContext): void {
  app.delete("/api/v1/bruteforce/flush", deleteBruteForceFlush(context.flushes, context));
  app.delete("/api/v1/bruteforce/flush/async", deleteBruteForceFlushAsync(context.jobs.queue, context));
  app.register(async (scope) => {
    const parseJson = scope.getDefaultJsonParser("error", "error");
    scope.removeContentTypeParser("application/json");
    // Filters are optional, so a body may be empty whatever its type says.
    scope.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) =>
      body.length === 0 ? done(null, undefined) : parseJson(request, String(body), done),
    );
    const list = listBruteForce(context);
    scope.get("/api/v1/bruteforce/list", list);
    scope.post("/api/v1/bruteforce/list", list);
  });
}
