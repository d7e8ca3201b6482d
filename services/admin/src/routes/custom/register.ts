import { operation } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import { anyHook, type HookContext } from "./any-hook.ts";

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
