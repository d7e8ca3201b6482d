import type { FastifyInstance } from "fastify";
import type { PagesContext } from "../context/pages.ts";
import { registerDevUi } from "./dev-ui/register.ts";
import { getHome } from "./get-home.ts";
import { getLoggedOut } from "./get-logged-out.ts";
import { registerStatic } from "./get-static.ts";
import { recoveryFactor, totpFactor } from "./login/code-factors.ts";
import type { LoginDeps } from "./login/deps.ts";
import { getFactor, postFactor } from "./login/factor-route.ts";
import { getLogin } from "./login/get-login.ts";
import { getMfa } from "./login/get-mfa.ts";
import { getRestart } from "./login/get-restart.ts";
import { postLogin } from "./login/post-login.ts";
import { beginWebauthn, finishWebauthn, getWebauthn } from "./login/webauthn.ts";
import { registerMfaApi } from "./mfa-api/register.ts";
import { type PageRoute, registerPageRoutes } from "./page-routes.ts";
import { selfServiceRoutes, selfServiceScriptRoutes } from "./self-service/routes.ts";

function loginRoutes(deps: LoginDeps): readonly PageRoute[] {
  const totp = totpFactor(deps);
  const recovery = recoveryFactor(deps);
  return [
    { method: "GET", path: "/login", handler: getLogin(deps) },
    { method: "POST", path: "/login", handler: postLogin(deps) },
    { method: "GET", path: "/login/mfa", handler: getMfa(deps) },
    { method: "GET", path: "/login/restart", handler: getRestart(deps) },
    { method: "GET", path: "/login/totp", handler: getFactor(deps, totp) },
    { method: "POST", path: "/login/totp", handler: postFactor(deps, totp) },
    { method: "GET", path: "/login/recovery", handler: getFactor(deps, recovery) },
    { method: "POST", path: "/login/recovery", handler: postFactor(deps, recovery) },
    { method: "GET", path: "/login/webauthn", handler: getWebauthn(deps) },
    { method: "GET", path: "/login/webauthn/begin", handler: beginWebauthn(deps) },
    { method: "GET", path: "/logged_out", handler: getLoggedOut(deps.pages) },
    { method: "GET", path: "/mfa/register/home", handler: getHome(deps) },
  ];
}

function scriptRoutes(deps: LoginDeps): readonly PageRoute[] {
  return [
    { method: "POST", path: "/login/webauthn/finish", handler: finishWebauthn(deps) },
    ...selfServiceScriptRoutes(deps),
  ];
}

/** Everything that browsers see of the sign-in (contract, "Identity provider: browser login and MFA"). */
export function registerPages(app: FastifyInstance, { login, devUi }: PagesContext): void {
  const { pages, logger } = login;
  registerStatic(app, pages);
  registerPageRoutes(app, [...loginRoutes(login), ...selfServiceRoutes(login)], { pages, logger });
  registerPageRoutes(app, scriptRoutes(login), { pages, logger, body: "json" });
  registerMfaApi(app, login);
  registerDevUi(app, { pages, ...devUi });
}
