import { type consoleRoutes, operation, pathTo } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { routeOf } from "@postern/shared/platform/http";
import { createSecurityHeaders } from "@postern/shared/platform/pages";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { getAccountPage } from "./account/account-page.ts";
import { getApiDocument, getApiPage } from "./api/api-page.ts";
import { postAuditExport, showAudit } from "./audit/audit-page-routes.ts";
import { getBansEvents, getBansPage } from "./bans/bans-page.ts";
import { getClientsPage } from "./clients/clients-page.ts";
import { getConfigurationPage } from "./configuration/configuration-page.ts";
import { ownForm, parseConsoleForms } from "./console-form.ts";
import {
  type ConsoleVisit,
  forOperator,
  goTo,
  type OperatorRoute,
  originOf,
  type PageAnswer,
  sendNotice,
} from "./console-visit.ts";
import type { ConsolePagesDeps } from "./context.ts";
import { getDomainsPage } from "./domains/domains-page.ts";
import { getNetworkPage } from "./network/network-page.ts";
import type { NoticeKey } from "./notice-pages.ts";
import { getOriginsPage } from "./origins/origins-page.ts";
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
import { getSearch, postFind } from "./search/get-search.ts";
import { getShadowPage, postShadowReset } from "./shadow/shadow-page.ts";
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

type OfOperator = (deps: ConsolePagesDeps, visit: ConsoleVisit) => Promise<PageAnswer>;
type OfForm = (deps: ConsolePagesDeps, visit: ConsoleVisit, form: URLSearchParams) => Promise<PageAnswer>;
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

const pages: readonly (readonly [OperatorRoute, OfOperator])[] = [
  ["consoleClients", getClientsPage],
  ["consoleOverview", getOverview],
  ["consoleOrigins", getOriginsPage],
  ["consoleSearch", getSearch],
  ["consoleAccount", getAccountPage],
  ["consoleNetwork", getNetworkPage],
  ["consoleBans", getBansPage],
  ["consoleSystem", getSystemPage],
  ["consoleShadow", getShadowPage],
  ["consoleConfiguration", getConfigurationPage],
  ["consoleRehearsal", getRehearsal],
  ["consoleDomains", getDomainsPage],
  ["consoleApi", getApiPage],
  ["consoleApiDocument", getApiDocument],
  ["consoleAct", postAct],
  ["consolePreferences", getPreferences],
];

/** Of an operator's own form; anything else is refused. */
const forms: readonly (readonly [OperatorRoute, OfForm])[] = [
  ["consoleSignOut", postSignOut],
  ["consoleFind", postFind("search")],
  ["consoleFindAccount", postFind("account")],
  ["consoleShadowReset", postShadowReset],
  ["consoleRehearsalShow", postRehearsal],
  ["consoleRehearsalStart", postRehearsalStart],
  ["consoleRehearsalCancel", postRehearsalCancel],
  ["consoleSavePreferences", postPreferences],
];

const withForm =
  (handle: OfForm): OfOperator =>
  async (deps, visit) => {
    const form = ownForm(deps, visit);
    return form === undefined ? "form" : handle(deps, visit, form);
  };

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
  const others: readonly (readonly [keyof typeof consoleRoutes, Handler])[] = [
    ["consoleHome", getHome],
    ["consoleSignIn", getSignIn(deps)],
    ["consoleSignInByCode", postSignIn(deps)],
    ["consoleCallback", getCallback(deps)],
    ["consoleBansEvents", getBansEvents(deps)],
    ["consoleSystemEvents", getSystemEvents(deps)],
    ["consoleRehearsalEvents", getRehearsalEvents(deps)],
    ["consoleAudit", showAudit(deps, "consoleAudit")],
    ["consoleAuditFilter", showAudit(deps, "consoleAuditFilter")],
    ["consoleAuditExport", postAuditExport(deps)],
    ["consoleAsset", getAsset(deps)],
    ["consoleUnknown", getUnknown(deps)],
  ];
  for (const [id, handler] of others) app.route({ ...routeOf(operation(id)), handler });
  for (const [route, handle] of [...pages, ...forms.map(([id, ofForm]) => [id, withForm(ofForm)] as const)])
    app.route({
      ...routeOf(operation(route)),
      handler: forOperator(deps, { route, handle: (of) => handle(deps, of) }),
    });
}
