import { operation } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import type { LoginDeps } from "../login/deps.ts";
import { deleteTotp } from "./delete-totp.ts";
import { deleteWebauthn } from "./delete-webauthn.ts";
import { getTotpSetup } from "./get-totp-setup.ts";
import { getWebauthnRegisterBegin } from "./get-webauthn-register-begin.ts";
import { postRecoveryCodesGenerate } from "./post-recovery-codes-generate.ts";
import { postTotpRegister } from "./post-totp-register.ts";
import { postWebauthnRegisterFinish } from "./post-webauthn-register-finish.ts";

/** MFA API for a signed-in session: authenticated by the browser's session, not by an API caller. */
export function registerMfaApi(app: FastifyInstance, deps: LoginDeps): void {
  app.register(async (scope) => {
    scope.route({ ...routeOf(operation("totpSetup")), handler: getTotpSetup(deps) });
    scope.route({ ...routeOf(operation("totpRegister")), handler: postTotpRegister(deps) });
    scope.route({ ...routeOf(operation("totpDelete")), handler: deleteTotp(deps) });
    scope.route({ ...routeOf(operation("recoveryCodesGenerate")), handler: postRecoveryCodesGenerate(deps) });
    scope.route({ ...routeOf(operation("webauthnRegisterBegin")), handler: getWebauthnRegisterBegin(deps) });
    scope.route({ ...routeOf(operation("webauthnRegisterFinish")), handler: postWebauthnRegisterFinish(deps) });
    scope.route({ ...routeOf(operation("webauthnDelete")), handler: deleteWebauthn(deps) });
  });
}
