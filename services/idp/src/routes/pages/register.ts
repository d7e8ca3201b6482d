import { operation } from "@postern/shared/contracts";
import { guardedRoute, routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import { type DevUiDeps, registerDevUi } from "../dev-ui/register.ts";
import { recoveryFactor, totpFactor } from "../login/code-factors.ts";
import type { LoginDeps } from "../login/deps.ts";
import { getCodesLow } from "../login/get-codes-low.ts";
import { getFactor } from "../login/get-factor.ts";
import { getLogin } from "../login/get-login.ts";
import { getMfa } from "../login/get-mfa.ts";
import { getPasswordWarning } from "../login/get-password-warning.ts";
import { getRestart } from "../login/get-restart.ts";
import { getWebauthn } from "../login/get-webauthn.ts";
import { beginWebauthn } from "../login/get-webauthn-begin.ts";
import { postCancel } from "../login/post-cancel.ts";
import { postFactor } from "../login/post-factor.ts";
import { postLogin } from "../login/post-login.ts";
import { finishWebauthn } from "../login/post-webauthn-finish.ts";
import { getHome } from "../mfa/get-home.ts";
import { selfServiceRoutes, selfServiceScriptRoutes } from "../mfa/register.ts";
import { registerMfaApi } from "../mfa-api/register.ts";
import { type PageRoute, registerPageRoutes, servePage } from "../page-routes.ts";
import { getFailedSignIn, type ReferenceParams } from "./get-failed-sign-in.ts";
import { getLoggedOut } from "./get-logged-out.ts";
import { getRoot } from "./get-root.ts";
import { getStatic } from "./get-static.ts";

/** What the pages need. */
export interface PagesDeps {
  readonly login: LoginDeps;
  readonly devUi: Omit<DevUiDeps, "pages">;
  /** The site's identifier, which precedes the colon of a scope. */
  readonly identifier: string;
}

function loginRoutes(deps: LoginDeps): readonly PageRoute[] {
  const totp = totpFactor(deps);
  const recovery = recoveryFactor(deps);
  return [
    servePage("loginPage", getLogin(deps)),
    servePage("login", postLogin(deps)),
    servePage("mfaPage", getMfa(deps)),
    servePage("restartLogin", getRestart(deps)),
    servePage("cancelLogin", postCancel(deps)),
    servePage("totpPage", getFactor(deps, totp)),
    servePage("totpSignIn", postFactor(deps, totp)),
    servePage("recoveryPage", getFactor(deps, recovery)),
    servePage("recoverySignIn", postFactor(deps, recovery)),
    servePage("codesLowPage", getCodesLow(deps)),
    servePage("passwordWarningPage", getPasswordWarning(deps)),
    servePage("webauthnPage", getWebauthn(deps)),
    servePage("beginWebauthnSignIn", beginWebauthn(deps)),
    servePage("loggedOutPage", getLoggedOut(deps.pages)),
    servePage("registrationHome", getHome(deps)),
  ];
}

function scriptRoutes(deps: LoginDeps): readonly PageRoute[] {
  return [servePage("finishWebauthnSignIn", finishWebauthn(deps)), ...selfServiceScriptRoutes(deps)];
}

/** All pages of sign-in and self-service. */
export function registerPages(app: FastifyInstance, { login, devUi, identifier }: PagesDeps): void {
  const { pages, logger } = login;
  app.route({ ...routeOf(operation("asset")), handler: getStatic(pages) });
  app.route({ ...routeOf(operation("rootPage")), handler: getRoot });
  registerPageRoutes(app, [...loginRoutes(login), ...selfServiceRoutes(login)], { pages, logger });
  registerPageRoutes(app, scriptRoutes(login), { pages, logger, body: "json" });
  app.route<ReferenceParams>({
    ...guardedRoute(operation("getFailedSignIn"), identifier),
    handler: getFailedSignIn(login.failedSignIns),
  });
  registerMfaApi(app, login);
  registerDevUi(app, { pages, ...devUi });
}
