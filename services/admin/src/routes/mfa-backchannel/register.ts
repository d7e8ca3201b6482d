import { systemClock } from "@postern/shared/time";
import type { FastifyError, FastifyInstance } from "fastify";
import type { AdminContext } from "../../context.ts";
import { requireScope } from "../../plugins/caller.ts";
import { deleteRecoveryCodes } from "./delete-recovery-codes.ts";
import { deleteTotp } from "./delete-totp.ts";
import { deleteWebauthnCredential } from "./delete-webauthn-credential.ts";
import { getWebauthnCredential } from "./get-webauthn-credential.ts";
import type { MfaRouteDeps } from "./mfa-route.ts";
import { postRecoveryCodes } from "./post-recovery-codes.ts";
import { postTotp } from "./post-totp.ts";
import { postWebauthnCredential } from "./post-webauthn-credential.ts";
import { putWebauthnCredential } from "./put-webauthn-credential.ts";

const prefix = "/api/v1/mfa-backchannel";

type MfaBackchannelContext = Pick<AdminContext, "bus" | "live" | "adminMetrics" | "logger" | "settings" | "audit">;

/** Second factors in the site's directories, for provisioning. The scopes are those of the contract's table. */
export function registerMfaBackchannel(app: FastifyInstance, context: MfaBackchannelContext): void {
  const { bus, live, adminMetrics, logger, audit } = context;
  const { identifier } = context.settings;
  const deps: MfaRouteDeps = {
    bus,
    timeoutMs: () => live.current.decisionTimeoutMs,
    counted: (operation, result) => adminMetrics.mfaAnswered(operation, result),
    logger,
    audit,
    now: () => systemClock.now(),
  };
  const scoped = (word: string) => ({ onRequest: requireScope(`${identifier}:${word}`, `${identifier}:admin`) });
  const mfaWrite = scoped("mfa_write");
  const webauthnWrite = scoped("webauthn_write");
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    if ((error.statusCode ?? 500) >= 500) throw error;
    // The parser's own words quote the body, which has secrets.
    return reply.code(400).send({ error: "Invalid JSON payload" });
  });
  app.post(`${prefix}/totp`, mfaWrite, postTotp(deps));
  app.delete(`${prefix}/totp`, mfaWrite, deleteTotp(deps));
  app.post(`${prefix}/totp/recovery-codes`, mfaWrite, postRecoveryCodes(deps));
  app.delete(`${prefix}/totp/recovery-codes`, mfaWrite, deleteRecoveryCodes(deps));
  const credential = `${prefix}/webauthn/credential`;
  app.get(credential, { ...scoped("webauthn_read"), exposeHeadRoute: false }, getWebauthnCredential(deps));
  app.post(credential, webauthnWrite, postWebauthnCredential(deps));
  app.put(credential, webauthnWrite, putWebauthnCredential(deps));
  app.delete(credential, webauthnWrite, deleteWebauthnCredential(deps));
}
