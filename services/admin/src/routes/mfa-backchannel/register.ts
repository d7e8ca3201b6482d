import { type OperationId, operation } from "@postern/shared/contracts";
import { guardedRoute } from "@postern/shared/platform/http";
import { steadyClock } from "@postern/shared/platform/time";
import type { FastifyError, FastifyInstance } from "fastify";
import type { AdminContext } from "../../context.ts";
import { deleteAppPassword } from "./delete-app-password.ts";
import { deleteLock } from "./delete-lock.ts";
import { deletePasskey } from "./delete-passkey.ts";
import { deleteRecoveryCodes } from "./delete-recovery-codes.ts";
import { deleteTotp } from "./delete-totp.ts";
import { deleteWebauthnCredential } from "./delete-webauthn-credential.ts";
import { getFactors } from "./get-factors.ts";
import { getWebauthnCredential } from "./get-webauthn-credential.ts";
import type { MfaRouteDeps } from "./mfa-route.ts";
import { postRecoveryCodes } from "./post-recovery-codes.ts";
import { postTotp } from "./post-totp.ts";
import { postWebauthnCredential } from "./post-webauthn-credential.ts";
import { putWebauthnCredential } from "./put-webauthn-credential.ts";

type MfaBackchannelContext = Pick<
  AdminContext,
  "bus" | "live" | "adminMetrics" | "logger" | "settings" | "audit" | "factorLocks" | "accountNames"
>;

/** Second factors in the site's backends, for provisioning. */
export function registerMfaBackchannel(app: FastifyInstance, context: MfaBackchannelContext): void {
  const { bus, live, adminMetrics, logger, audit, accountNames } = context;
  const { identifier } = context.settings;
  const deps: MfaRouteDeps = {
    bus,
    timeoutMs: () => live.current.decisionTimeoutMs,
    counted: (operation, result) => adminMetrics.mfaAnswered(operation, result),
    logger,
    audit,
    now: () => steadyClock.now(),
  };
  const guarded = (id: OperationId) => guardedRoute(operation(id), identifier);
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    if ((error.statusCode ?? 500) >= 500) throw error;
    // The parser's message quotes the body, which contains secrets.
    return reply.code(400).send({ error: "Invalid JSON payload" });
  });
  app.route({ ...guarded("setTotpSecret"), handler: postTotp(deps) });
  const locks = { ...deps, locks: context.factorLocks, accountNames };
  app.route({ ...guarded("unlockSecondFactors"), handler: deleteLock(locks) });
  app.route({ ...guarded("deleteTotpSecret"), handler: deleteTotp(deps) });
  app.route({ ...guarded("setRecoveryCodes"), handler: postRecoveryCodes(deps) });
  app.route({ ...guarded("deleteRecoveryCodes"), handler: deleteRecoveryCodes(deps) });
  app.route({ ...guarded("listSecondFactors"), handler: getFactors(deps) });
  app.route({
    ...guarded("listWebauthnCredentials"),
    exposeHeadRoute: false,
    handler: getWebauthnCredential(deps),
  });
  app.route({ ...guarded("saveWebauthnCredential"), handler: postWebauthnCredential(deps) });
  app.route({ ...guarded("updateWebauthnCredential"), handler: putWebauthnCredential(deps) });
  app.route({ ...guarded("deleteWebauthnCredential"), handler: deleteWebauthnCredential(deps) });
  app.route({ ...guarded("deleteUserPasskey"), handler: deletePasskey(deps) });
  app.route({ ...guarded("deleteUserAppPassword"), handler: deleteAppPassword(deps) });
}
