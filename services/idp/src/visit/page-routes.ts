import { fillPath, type Operation, type OperationId, operation } from "@postern/shared/contracts";
import { isLanguageTag } from "@postern/shared/domain/localisation";
import { AppError } from "@postern/shared/platform/errors";
import { FormEncodingError, routeOf } from "@postern/shared/platform/http";
import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Pages } from "../pages/pages.ts";
import { cookieNames } from "../sessions/cookies.ts";
import { parsePageForms } from "./form-body.ts";
import { formVisit, sendProblem, setCookie, textIn, type Visit } from "./visit.ts";

export type VisitHandler = (visit: Visit) => Promise<FastifyReply>;

export interface PageRoute {
  /** Served with and without a language tag, where it takes one. */
  readonly operation: Operation;
  readonly handler: VisitHandler;
}

export function servePage(id: OperationId, handler: VisitHandler): PageRoute {
  return { operation: operation(id), handler };
}

const languageSeconds = 365 * 86_400;

/** Handles a page with and without language tag: a malformed tag is 404, one of an offered language is remembered for later pages. */
function handlerOf({ operation: { path: template }, handler }: PageRoute, pages: Pages) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const tag = textIn(request.params, "languageTag");
    const language = tag === undefined ? undefined : pages.languageOf(tag);
    const path = fillPath(template, Object(request.params));
    const visit = formVisit({ request, reply, path, language });
    if (tag !== undefined && !isLanguageTag(tag)) return sendProblem(pages, visit, "not_found");
    if (language !== undefined && request.method === "GET") {
      setCookie(reply, pages.cookies.set(cookieNames.language, language.tag, languageSeconds));
    }
    return handler(visit);
  };
}

function problemOf(error: unknown): "request" | "unavailable" | "failed" {
  if (error instanceof AppError) {
    if (error.row.kind === "caller") return "request";
    return error.row.kind === "unavailable" ? "unavailable" : "failed";
  }
  const status = typeof error === "object" && error !== null && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" && status >= 400 && status < 500 ? "request" : "failed";
}

/**
 * Registers pages for browsers: parses forms and shows errors as pages. `body`: the format of the request bodies, forms of
 * the pages or JSON of their script.
 */
export function registerPageRoutes(
  app: FastifyInstance,
  routes: readonly PageRoute[],
  { pages, logger, body = "form" }: { readonly pages: Pages; readonly logger: Logger; readonly body?: "form" | "json" },
): void {
  app.register(async (scope) => {
    if (body === "form") parsePageForms(scope);
    scope.setErrorHandler((error, request, reply) => {
      const problem = problemOf(error);
      const level = error instanceof AppError ? error.row.logLevel : "error";
      if (error instanceof FormEncodingError) logger.info({ session: request.caller?.session }, error.message);
      if (problem !== "request") logger[level]({ session: request.caller?.session, err: error }, "page failed");
      const visit = formVisit({ request, reply, path: "", language: undefined });
      return sendProblem(pages, visit, problem);
    });
    for (const route of routes) {
      const { inLanguage } = route.operation;
      const handler = handlerOf(route, pages);
      scope.route({ ...routeOf(route.operation), handler });
      if (inLanguage !== undefined) scope.route({ ...routeOf(inLanguage), handler });
    }
  });
}
