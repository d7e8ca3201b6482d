import {
  MfaBackchannelAppPassword,
  MfaBackchannelCredential,
  type MfaBackchannelFactors,
  MfaBackchannelPasskey,
  MfaBackchannelRecoveryCodes,
  MfaBackchannelReplacement,
  MfaBackchannelTotp,
  MfaBackchannelUnlock,
  type MfaBackchannelUnlocked,
  MfaBackchannelUser,
  mfaAppPasswordRevoke,
  mfaFactorsRead,
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
  type Reply,
} from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck, guardedRoute } from "@postern/shared/platform/http";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { storedPasskey } from "../console/account/stored-passkey.ts";
import type { AdminContext } from "../context.ts";
import type { FactorLocks } from "../factor-locks/factor-locks-redis.ts";
import type { MfaResult } from "../metrics.ts";
import { auditing, malformed, serve, sessionOf } from "../read-request.ts";
import { createForgetDevices } from "../remembered-devices/routes.ts";
import { createMfaRoute, type MfaAnswer, type MfaContext, type MfaRoute } from "./mfa-route.ts";

type Locks = Awaited<ReturnType<FactorLocks["lift"]>>;

const check = compileCheck(MfaBackchannelUnlock);

/**
 * `DELETE /api/v1/mfa-backchannel/lock`: 200 even if nothing was locked. 500 if nothing was unlocked and a backend that may know the
 * account by this name was unavailable; the request may be repeated. Counts are stored under the account's own name, which may differ
 * from the one that the operator typed.
 */
function unlock({ audit, adminMetrics, logger, factorLocks, accountNames }: MfaBackchannelContext) {
  const counted = (result: MfaResult): void => adminMetrics.mfaAnswered("unlock", result);
  const liftAll = async (username: string): Promise<Locks> => {
    const { accounts, isComplete } = await accountNames(username);
    const lifted = await Promise.all([...new Set([username, ...accounts])].map((name) => factorLocks.lift(name)));
    const counts: Locks = Object.assign({}, ...lifted);
    // The name may be an alias of a locked account, which could not be checked.
    if (!isComplete && Object.keys(counts).length === 0) {
      throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the account behind the name could not be looked up" });
    }
    return counts;
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<MfaBackchannelUnlocked> => {
    const { body } = request;
    if (!check.accepts(body)) {
      counted("malformed");
      throw malformed(check.explain(body));
    }
    const { username } = body;
    const { write, run } = auditing({ audit }, request, { event: "second_factor.unlock", target: username });
    const wrongCodes = await run(() => liftAll(username)).catch((error: unknown) => {
      counted("undecided");
      throw error;
    });
    counted("ok");
    write("ok");
    logger.info({ session: sessionOf(request), operation: "unlock", username, outcome: "ok" }, "second factors");
    reply.header("cache-control", "no-store");
    return { status: "ok", wrong_codes: wrongCodes };
  };
}

type Factors = Extract<Reply<typeof mfaFactorsRead>, { readonly outcome: "ok" }>;

function isOk(reply: Reply<typeof mfaFactorsRead>): reply is Factors {
  return reply.outcome === "ok";
}

function bodyOf({ account, hasTotp, recoveryCodesLeft, webauthnCredentials, appPasswords }: Factors) {
  const body: MfaBackchannelFactors = {
    account,
    totp: hasTotp,
    recovery_codes_left: recoveryCodesLeft,
    passkeys: webauthnCredentials.map((text) => {
      const { id, name } = storedPasskey(text);
      return { id, name };
    }),
    app_passwords: appPasswords,
  };
  return body;
}

const listFactors = ({ bus }: Pick<MfaContext, "bus">): MfaRoute<typeof MfaBackchannelUser> => ({
  operation: "list_factors",
  fields: MfaBackchannelUser,
  ask: async (_fields, target, options): Promise<MfaAnswer> => {
    const reply = await bus.request(mfaFactorsRead, target, options);
    return isOk(reply) ? { outcome: reply.outcome, body: bodyOf(reply) } : reply;
  },
});

/** A sign-in between reading and deleting replaces the stored text. */
const attempts = 5;

const deletePasskey = ({ bus }: Pick<MfaContext, "bus">): MfaRoute<typeof MfaBackchannelPasskey> => ({
  operation: "delete_passkey",
  fields: MfaBackchannelPasskey,
  endsDevices: true,
  ask: async ({ id }, target, options): Promise<MfaAnswer> => {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const listed = await bus.request(mfaWebauthnList, target, options);
      if (!("credentials" in listed)) return listed;
      const credential = listed.credentials.find((text) => storedPasskey(text).id === id);
      if (credential === undefined) return { outcome: "absent" };
      const answer = await bus.request(mfaWebauthnDelete, { ...target, credential }, options);
      if (answer.outcome !== "absent") return answer;
    }
    return { outcome: "conflict", detail: "the passkey was used at the same time; try again" };
  },
});

type MfaBackchannelContext = Pick<
  AdminContext,
  | "bus"
  | "live"
  | "adminMetrics"
  | "logger"
  | "settings"
  | "audit"
  | "factorLocks"
  | "accountNames"
  | "rememberedDevices"
>;

/** Each operation with what it asks an engine. Deleting what does not exist succeeds. */
function routesOf(context: MfaContext) {
  const { bus } = context;
  const row = <Fields extends TSchema>(id: OperationId, route: MfaRoute<Fields>) =>
    ({ id, handler: createMfaRoute(context, route) }) as const;
  return [
    row("setTotpSecret", {
      operation: "set_totp",
      fields: MfaBackchannelTotp,
      endsDevices: true,
      ask: ({ totp_secret: secret }, target, options) => bus.request(mfaTotpSet, { ...target, secret }, options),
    }),
    row("deleteTotpSecret", {
      operation: "delete_totp",
      fields: MfaBackchannelUser,
      endsDevices: true,
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
    row("listSecondFactors", listFactors(context)),
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
      endsDevices: true,
      ask: ({ credential }, target, options) => bus.request(mfaWebauthnDelete, { ...target, credential }, options),
    }),
    row("deleteUserPasskey", deletePasskey(context)),
    row("deleteUserAppPassword", {
      operation: "delete_app_password",
      fields: MfaBackchannelAppPassword,
      ask: ({ id }, target, options) => bus.request(mfaAppPasswordRevoke, { ...target, id }, options),
    }),
  ];
}

/** `/api/v1/mfa-backchannel`: second factors in the site's backends, for provisioning. */
export function registerMfaBackchannel(app: FastifyInstance, context: MfaBackchannelContext): void {
  const { accountNames, rememberedDevices, settings } = context;
  const forgetDevices = createForgetDevices(rememberedDevices, accountNames);
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    if ((error.statusCode ?? 500) >= 500) throw error;
    // The parser's message quotes the body, which contains secrets.
    return reply.code(400).send({ error: "Invalid JSON payload" });
  });
  for (const { id, handler } of routesOf({ ...context, forgetDevices })) {
    const exposeHeadRoute = id !== "listWebauthnCredentials";
    app.route({ ...guardedRoute(operation(id), settings.identifier), exposeHeadRoute, handler });
  }
  serve(app, context, [["unlockSecondFactors", unlock(context)]]);
}
