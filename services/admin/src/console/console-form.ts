import { consolePages, operation, pathTo } from "@postern/shared/contracts";
import { readFormBody } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ConsoleVisit } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./context.ts";

const maxFormBytes = 64 * 1024;
/** A rehearsal with all its groups, or a configuration, is larger than what people type. */
const maxRehearsalBytes = 1_048_576;
const ofRehearsals: ReadonlySet<string> = new Set([pathTo("consoleRehearsalShow"), pathTo("consoleRehearsalStart")]);
const noForm = new URLSearchParams();

/** Reads the bodies of this scope as forms; a body of another type is an empty form. */
export function parseConsoleForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer" },
    async ({ url }: FastifyRequest, body: Buffer) =>
      readFormBody(body, ofRehearsals.has(url) ? maxRehearsalBytes : maxFormBytes),
  );
  scope.addContentTypeParser("*", (_request, payload, done) => {
    payload.resume();
    done(null, noForm);
  });
}

/**
 * The form, if a page of this session sent it: browsers state the origin of every POST, and only our pages know the token. Undefined
 * otherwise.
 */
export function ownForm(
  { origin }: Pick<ConsolePagesDeps, "origin">,
  { request, operator }: ConsoleVisit,
): URLSearchParams | undefined {
  const { body, headers } = request;
  if (headers.origin !== origin || !(body instanceof URLSearchParams)) return undefined;
  return body.get("csrf_token") === operator.csrfToken ? body : undefined;
}

const firstPage = pathTo("consoleOverview");
/** The page of a network is not in the navigation. */
const pages: ReadonlySet<string> = new Set([
  ...Object.values(consolePages).map((page) => operation(page.operation).path),
  pathTo("consoleNetwork"),
]);

/** A page of the console to which a link or form may lead back; anything else is the first page. */
export function pageWithin(origin: string, text: string | null | undefined): string {
  const url = text === null || text === undefined ? null : URL.parse(text, origin);
  if (url === null || url.origin !== origin || text?.startsWith("/") !== true) return firstPage;
  return pages.has(url.pathname) ? `${url.pathname}${url.search}` : firstPage;
}
