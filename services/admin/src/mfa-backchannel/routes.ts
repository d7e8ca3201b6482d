import {
  MfaBackchannelAppPassword,
  MfaBackchannelCredential,
  MfaBackchannelRecoveryCodes,
  MfaBackchannelReplacement,
  MfaBackchannelTotp,
  MfaBackchannelUser,
  mfaAppPasswordRevoke,
  mfaRecoveryCodesDelete,
  mfaRecoveryCodesSet,
  mfaTotpDelete,
  mfaTotpSet,
  mfaWebauthnDelete,
  mfaWebauthnList,
  mfaWebauthnSave,
  mfaWebauthnUpdate,
  type OperationId,
  operation,
} from "@postern/shared/contracts";
import { guardedRoute } from "@postern/shared/platform/http";
import { steadyClock } from "@postern/shared/platform/time";
import type { FastifyError, FastifyInstance } from "fastify";
import type { TSchema } from "typebox";
import type { AdminContext } from "../context.ts";
import { deletePasskey } from "./delete-passkey.ts";
import { listFactors } from "./list-factors.ts";
import { createMfaRoute, type MfaRoute, type MfaRouteDeps } from "./mfa-route.ts";
import { unlock } from "./unlock.ts";

type MfaBackchannelContext = Pick<
  AdminContext,
  "bus" | "live" | "adminMetrics" | "logger" | "settings" | "audit" | "factorLocks" | "accountNames"
>;

/** Each operation with what it asks an engine. Deleting what does not exist succeeds. */
function routesOf(deps: MfaRouteDeps) {
  const { bus } = deps;
  const row = <Fields extends TSchema>(id: OperationId, route: MfaRoute<Fields>) =>
    ({ id, handler: createMfaRoute(deps, route) }) as const;
  return [
    row("setTotpSecret", {
      operation: "set_totp",
      fields: MfaBackchannelTotp,
      ask: ({ totp_secret: secret }, target, options) => bus.request(mfaTotpSet, { ...target, secret }, options),
    }),
    row("deleteTotpSecret", {
      operation: "delete_totp",
      fields: MfaBackchannelUser,
      ask: (_fields, target, options) => bus.request(mfaTotpDelete, target, options),
    }),
    row("setRecoveryCodes", {
      operation: "set_recovery_codes",
      fields: MfaBackchannelRecoveryCodes,
      ask: ({ codes }, target, options) => bus.request(mfaRecoveryCodesSet, { ...target, codes }, options),
    }),
    row("deleteRecoveryCodes", {
      operation: "delete_recovery_codes",
      fields: MfaBackchannelUser,
      ask: (_fields, target, options) => bus.request(mfaRecoveryCodesDelete, target, options),
    }),
    row("listSecondFactors", listFactors(deps)),
    row("listWebauthnCredentials", {
      operation: "list_webauthn",
      fields: MfaBackchannelUser,
      ask: (_fields, target, options) => bus.request(mfaWebauthnList, target, options),
    }),
    row("saveWebauthnCredential", {
      operation: "save_webauthn",
      fields: MfaBackchannelCredential,
      ask: ({ credential }, target, options) => bus.request(mfaWebauthnSave, { ...target, credential }, options),
    }),
    // Compare-and-set: 400 if the old credential is not stored.
    row("updateWebauthnCredential", {
      operation: "update_webauthn",
      fields: MfaBackchannelReplacement,
      ask: ({ credential, old_credential: oldCredential }, target, options) =>
        bus.request(mfaWebauthnUpdate, { ...target, credential, oldCredential }, options),
    }),
    row("deleteWebauthnCredential", {
      operation: "delete_webauthn",
      fields: MfaBackchannelCredential,
      ask: ({ credential }, target, options) => bus.request(mfaWebauthnDelete, { ...target, credential }, options),
    }),
    row("deleteUserPasskey", deletePasskey(deps)),
    row("deleteUserAppPassword", {
      operation: "delete_app_password",
      fields: MfaBackchannelAppPassword,
      ask: ({ id }, target, options) => bus.request(mfaAppPasswordRevoke, { ...target, id }, options),
    }),
  ];
}

/** `/api/v1/mfa-backchannel`: second factors in the site's backends, for provisioning. */
export function registerMfaBackchannel(app: FastifyInstance, context: MfaBackchannelContext): void {
  const { bus, live, adminMetrics, logger, audit, accountNames, factorLocks } = context;
  const { identifier } = context.settings;
  const deps: MfaRouteDeps = {
    bus,
    timeoutMs: () => live.current.decisionTimeoutMs,
    counted: (name, result) => adminMetrics.mfaAnswered(name, result),
    logger,
    audit,
    now: () => steadyClock.now(),
  };
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    if ((error.statusCode ?? 500) >= 500) throw error;
    // The parser's message quotes the body, which contains secrets.
    return reply.code(400).send({ error: "Invalid JSON payload" });
  });
  for (const { id, handler } of routesOf(deps)) {
    const exposeHeadRoute = id !== "listWebauthnCredentials";
    app.route({ ...guardedRoute(operation(id), identifier), exposeHeadRoute, handler });
  }
  const handler = unlock(deps, factorLocks, accountNames);
  app.route({ ...guardedRoute(operation("unlockSecondFactors"), identifier), handler });
}
