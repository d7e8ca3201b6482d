import { readFormBody } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";

/** Larger than any legitimate form. */
const formLimit = 56 * 1024;

/** Reads forms without merging repeated parameters; empty ones count as absent (RFC 6749 §3.1). */
export function parseForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer" },
    async (_request: unknown, body: Buffer) => withoutEmpty(readFormBody(body, formLimit)),
  );
}

export function withoutEmpty(form: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...form].filter(([, value]) => value !== ""));
}

export function formOf(body: unknown): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/** The raw query of a request. */
export function queryOf(url: string | undefined): string {
  const at = url?.indexOf("?") ?? -1;
  return url === undefined || at < 0 ? "" : url.slice(at + 1);
}
