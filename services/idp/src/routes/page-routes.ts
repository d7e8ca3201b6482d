import { AppError } from "@postern/shared/errors";
import type { Logger } from "@postern/shared/logging";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Pages } from "../pages/pages.ts";
import { parseForms } from "../plugins/form-body.ts";
import { cookieNames } from "../sessions/cookies.ts";
import { formVisit, sendProblem, setCookie, type Visit } from "./visit.ts";

export type VisitHandler = (visit: Visit) => Promise<FastifyReply>;

export interface PageRoute {
  readonly method: "GET" | "POST" | "DELETE";
  /** Without language tag; the route takes one, but for DELETE and paths of one thing (contract, self-service). */
  readonly path: string;
  readonly handler: VisitHandler;
}

const languageSeconds = 365 * 86_400;
const maxTagLength = 35;

function tagOf({ params }: FastifyRequest): string | undefined {
  if (typeof params !== "object" || params === null || !("languageTag" in params)) return undefined;
  return typeof params.languageTag === "string" ? params.languageTag : undefined;
}

/** A page with and without language tag: an unknown tag is 404, a known one is kept for the next pages. */
function handlerOf({ path, handler }: PageRoute, pages: Pages) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const tag = tagOf(request);
    const language = tag === undefined || tag.length > maxTagLength ? undefined : pages.languageOf(tag);
    const visit = formVisit({ request, reply, path, language });
    if (tag !== undefined && language === undefined) return sendProblem(pages, visit, "not_found");
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

export interface PageRouteOptions {
  readonly pages: Pages;
  readonly logger: Logger;
  /** What is sent to them: forms of ours, or JSON of our script. */
  readonly body?: "form" | "json";
}

/** Pages for browsers: forms are parsed, and whatever is thrown becomes a page. */
export function registerPageRoutes(
  app: FastifyInstance,
  routes: readonly PageRoute[],
  { pages, logger, body = "form" }: PageRouteOptions,
): void {
  app.register(async (scope) => {
    if (body === "form") parseForms(scope);
    scope.setErrorHandler((error, request, reply) => {
      const problem = problemOf(error);
      const level = error instanceof AppError ? error.row.logLevel : "error";
      if (problem !== "request") logger[level]({ session: request.caller?.session, err: error }, "page failed");
      const visit = formVisit({ request, reply, path: "", language: undefined });
      return sendProblem(pages, visit, problem);
    });
    for (const route of routes) {
      const handler = handlerOf(route, pages);
      scope.route({ method: route.method, url: route.path, handler });
      if (route.method !== "DELETE" && !route.path.includes(":")) {
        scope.route({ method: route.method, url: `${route.path}/:languageTag`, handler });
      }
    }
  });
}
