import type { FastifyInstance } from "fastify";

/** Above it no parameter of ours is honest. */
const formLimit = 56 * 1024;

/** Reads forms as they are, so that doubled parameters stay doubled; empty ones count as absent (RFC 6749 §3.1). */
export function parseForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: formLimit },
    (_request, body, done) => done(null, withoutEmpty(new URLSearchParams(String(body)))),
  );
}

export function withoutEmpty(form: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...form].filter(([, value]) => value !== ""));
}

export function formOf(body: unknown): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/** The query of a request's address, as it came. */
export function queryOf(url: string | undefined): string {
  const at = url?.indexOf("?") ?? -1;
  return url === undefined || at < 0 ? "" : url.slice(at + 1);
}
