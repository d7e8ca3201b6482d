import { operation, pathTo } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { routeOf } from "@postern/shared/platform/http";
import { createSecurityHeaders } from "@postern/shared/platform/pages";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { getAccountPage } from "./account/get-account-page.ts";
import { getApiDocument, getApiPage } from "./api/get-api.ts";
import { postAuditExport, showAudit } from "./audit/audit-page-routes.ts";
import { getBansEvents, getBansPage } from "./bans/get-bans-page.ts";
import { getClientsPage } from "./clients/clients-page.ts";
import { getConfigurationPage } from "./configuration/configuration-page.ts";
import { parseConsoleForms } from "./console-form.ts";
import { goTo, originOf, sendNotice } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./context.ts";
import { getDomainsPage } from "./domains/get-domains-page.ts";
import { getNetworkPage } from "./network/get-network-page.ts";
import type { NoticeKey } from "./notice-pages.ts";
import { getOriginsPage } from "./origins/get-origins-page.ts";
import { getOverview } from "./overview/get-overview.ts";
import { postAct } from "./post-act.ts";
import { getPreferences, postPreferences } from "./preferences/preferences-page.ts";
import {
  getRehearsal,
  getRehearsalEvents,
  postRehearsal,
  postRehearsalCancel,
  postRehearsalStart,
} from "./rehearsal/rehearsal-routes.ts";
import { getSearch } from "./search/get-search.ts";
import { postFind } from "./search/post-find.ts";
import { getShadowPage, postShadowReset } from "./shadow/get-shadow-page.ts";
import { getCallback, getSignIn, postSignIn, postSignOut } from "./sign-in.ts";
import { getSystemEvents, getSystemPage } from "./system/system-page.ts";

/** `GET /console` */
async function getHome(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return goTo(reply, pathTo("consoleOverview"));
}

const yearSeconds = 365 * 86_400;

const beginning = (path: string): string => path.slice(0, path.indexOf("."));

/** `GET /console/assets/{asset}`: a name of another version gets this version's file, not to be cached. */
function getAsset({ assets, origin }: Pick<ConsolePagesDeps, "assets" | "origin">) {
  const { asset: headers } = createSecurityHeaders(origin);
  return async ({ url }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const found =
      assets.find(({ path }) => path === url) ?? assets.find(({ path }) => beginning(path) === beginning(url));
    if (found === undefined) return reply.code(404).header("cache-control", "no-store").send();
    const cache = found.path === url ? `public, max-age=${yearSeconds}, immutable` : "no-store";
    return reply.headers({ ...headers, "cache-control": cache, "content-type": found.type }).send(found.body);
  };
}

/** Any other path: a page, with navigation and search for an operator. */
function getUnknown(deps: ConsolePagesDeps) {
  const { cookies, findOperator } = deps;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const cookie = cookies.read(request.headers.cookie, "session");
    const found = await findOperator({ cookie, ...originOf(request), isPassive: true });
    const isOperator = found !== "none" && !("withdrawn" in found);
    return sendNotice(deps, reply, "not_found", isOperator ? found : undefined);
  };
}

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
  app.route({ ...routeOf(operation("consoleOverview")), handler: getOverview(deps) });
  app.route({ ...routeOf(operation("consoleOrigins")), handler: getOriginsPage(deps) });
  app.route({ ...routeOf(operation("consoleSearch")), handler: getSearch(deps) });
  app.route({ ...routeOf(operation("consoleFind")), handler: postFind(deps, "search") });
  app.route({ ...routeOf(operation("consoleAccount")), handler: getAccountPage(deps) });
  app.route({ ...routeOf(operation("consoleFindAccount")), handler: postFind(deps, "account") });
  app.route({ ...routeOf(operation("consoleNetwork")), handler: getNetworkPage(deps) });
  app.route({ ...routeOf(operation("consoleBans")), handler: getBansPage(deps) });
  app.route({ ...routeOf(operation("consoleBansEvents")), handler: getBansEvents(deps) });
  app.route({ ...routeOf(operation("consoleSystemEvents")), handler: getSystemEvents(deps) });
  app.route({ ...routeOf(operation("consoleSystem")), handler: getSystemPage(deps) });
  app.route({ ...routeOf(operation("consoleShadow")), handler: getShadowPage(deps) });
  app.route({ ...routeOf(operation("consoleShadowReset")), handler: postShadowReset(deps) });
  app.route({ ...routeOf(operation("consoleConfiguration")), handler: getConfigurationPage(deps) });
  app.route({ ...routeOf(operation("consoleRehearsal")), handler: getRehearsal(deps) });
  app.route({ ...routeOf(operation("consoleRehearsalShow")), handler: postRehearsal(deps) });
  app.route({ ...routeOf(operation("consoleRehearsalStart")), handler: postRehearsalStart(deps) });
  app.route({ ...routeOf(operation("consoleRehearsalCancel")), handler: postRehearsalCancel(deps) });
  app.route({ ...routeOf(operation("consoleRehearsalEvents")), handler: getRehearsalEvents(deps) });
  app.route({ ...routeOf(operation("consoleDomains")), handler: getDomainsPage(deps) });
  app.route({ ...routeOf(operation("consoleAudit")), handler: showAudit(deps, "consoleAudit") });
  app.route({ ...routeOf(operation("consoleAuditFilter")), handler: showAudit(deps, "consoleAuditFilter") });
  app.route({ ...routeOf(operation("consoleAuditExport")), handler: postAuditExport(deps) });
  app.route({ ...routeOf(operation("consoleApi")), handler: getApiPage(deps) });
  app.route({ ...routeOf(operation("consoleApiDocument")), handler: getApiDocument(deps) });
  app.route({ ...routeOf(operation("consoleAct")), handler: postAct(deps) });
  app.route({ ...routeOf(operation("consolePreferences")), handler: getPreferences(deps) });
  app.route({ ...routeOf(operation("consoleSavePreferences")), handler: postPreferences(deps) });
  app.route({ ...routeOf(operation("consoleAsset")), handler: getAsset(deps) });
  app.route({ ...routeOf(operation("consoleUnknown")), handler: getUnknown(deps) });
}
