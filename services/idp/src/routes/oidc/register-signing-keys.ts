import { type OperationId, operation } from "@postern/shared/contracts";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import { listKeys } from "./get-signing-keys.ts";
import { rotateKeys } from "./post-signing-keys-rotate.ts";
import type { SigningKeyRouteDeps } from "./signing-key-deps.ts";

/** Administration of signing keys. The gateway has authenticated the caller; scopes are checked here. */
export function registerSigningKeyRoutes(app: FastifyInstance, deps: SigningKeyRouteDeps): void {
  const guarded = (id: OperationId) => guardedRoute(operation(id), deps.identifier);
  app.route({ ...guarded("listSigningKeys"), handler: listKeys(deps) });
  app.route({ ...guarded("rotateSigningKeys"), handler: rotateKeys(deps) });
}
