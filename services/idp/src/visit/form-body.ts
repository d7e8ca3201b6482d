import { readFormBody } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";

/** The fields of a submitted form. */
export class Form extends URLSearchParams {
  /** The field, which may be empty; undefined if it is missing or occurs twice. */
  one(name: string): string | undefined {
    const values = this.getAll(name);
    return values.length === 1 ? values[0] : undefined;
  }
}

/** The largest form that a page accepts is a SAML message of some 350 KiB in Base64. */
const formLimit = 512 * 1024;

/** Parses the bodies of this scope as forms; a body of another type is an empty form. */
export function parsePageForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer" },
    async (_request: unknown, body: Buffer) => new Form(readFormBody(body, formLimit)),
  );
  scope.addContentTypeParser("*", (_request, payload, done) => {
    payload.resume();
    done(null, new Form());
  });
}
