import { operation } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import type { NoticeKey } from "../../pages/notice-pages.ts";
import { parseConsoleForms } from "./console-form.ts";
import { originOf, sendNotice } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./deps.ts";
import { getAccountPage } from "./get-account-page.ts";
import { getApiDocument, getApiPage } from "./get-api-page.ts";
import { getAsset } from "./get-asset.ts";
import { getBansEvents, getBansPage } from "./get-bans-page.ts";
import { getCallback } from "./get-callback.ts";
import { getClientsPage } from "./get-clients-page.ts";
import { getConfigurationPage } from "./get-configuration-page.ts";
import { getHome } from "./get-home.ts";
import { getSearch } from "./get-search.ts";
import { getSignIn } from "./get-sign-in.ts";
import { getSystemEvents, getSystemPage } from "./get-system-page.ts";
import { postAct } from "./post-act.ts";
import { postAuditExport } from "./post-audit-export.ts";
import { postFind } from "./post-find.ts";
import { postSignIn } from "./post-sign-in.ts";
import { postSignOut } from "./post-sign-out.ts";
import { showAudit } from "./show-audit.ts";

function noticeOf(error: unknown): NoticeKey {
  if (error instanceof AppError) return error.code === "REDIS_UNAVAILABLE" ? "no_sessions" : "unavailable";
  const status: unknown = Object(error).statusCode;
  return typeof status === "number" && status < 500 ? "form" : "unavailable";
}

/** The pages of the console. */
export function registerConsolePages(app: FastifyInstance, deps: ConsolePagesDeps): void {
  parseConsoleForms(app);
  app.setErrorHandler((err, request, reply) => {
    const level = err instanceof AppError ? err.row.logLevel : "error";
    const notice = noticeOf(err);
    if (notice !== "form")
      deps.logger[level]({ session: originOf(request).session, err }, "page of the console failed");
    return sendNotice(deps, reply, notice);
  });
  app.route({ ...routeOf(operation("consoleHome")), handler: getHome });
  app.route({ ...routeOf(operation("consoleSignIn")), handler: getSignIn(deps) });
  app.route({ ...routeOf(operation("consoleSignInByCode")), handler: postSignIn(deps) });
  app.route({ ...routeOf(operation("consoleCallback")), handler: getCallback(deps) });
  app.route({ ...routeOf(operation("consoleSignOut")), handler: postSignOut(deps) });
  app.route({ ...routeOf(operation("consoleClients")), handler: getClientsPage(deps) });
  app.route({ ...routeOf(operation("consoleSearch")), handler: getSearch(deps) });
  app.route({ ...routeOf(operation("consoleFind")), handler: postFind(deps, "search") });
  app.route({ ...routeOf(operation("consoleAccount")), handler: getAccountPage(deps) });
  app.route({ ...routeOf(operation("consoleFindAccount")), handler: postFind(deps, "account") });
  app.route({ ...routeOf(operation("consoleBans")), handler: getBansPage(deps) });
  app.route({ ...routeOf(operation("consoleBansEvents")), handler: getBansEvents(deps) });
  app.route({ ...routeOf(operation("consoleSystemEvents")), handler: getSystemEvents(deps) });
  app.route({ ...routeOf(operation("consoleSystem")), handler: getSystemPage(deps) });
  app.route({ ...routeOf(operation("consoleConfiguration")), handler: getConfigurationPage(deps) });
  app.route({ ...routeOf(operation("consoleAudit")), handler: showAudit(deps, "consoleAudit") });
  app.route({ ...routeOf(operation("consoleAuditFilter")), handler: showAudit(deps, "consoleAuditFilter") });
  app.route({ ...routeOf(operation("consoleAuditExport")), handler: postAuditExport(deps) });
  app.route({ ...routeOf(operation("consoleApi")), handler: getApiPage(deps) });
  app.route({ ...routeOf(operation("consoleApiDocument")), handler: getApiDocument(deps) });
  app.route({ ...routeOf(operation("consoleAct")), handler: postAct(deps) });
  app.route({ ...routeOf(operation("consoleAsset")), handler: getAsset(deps) });
}
