import { readFormBody } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";

/** The fields of a submitted form. */
export interface Form {
  /** The field, which may be empty; undefined if it is missing or occurs twice. */
  one(name: string): string | undefined;
  all(name: string): readonly string[];
}

function formWith(fields: URLSearchParams): Form {
  return {
    one: (name) => {
      const values = fields.getAll(name);
      return values.length === 1 ? values[0] : undefined;
    },
    all: (name) => fields.getAll(name),
  };
}

const noForm = formWith(new URLSearchParams());

/** The largest form that a page accepts is a SAML message of some 350 KiB in Base64. */
const formLimit = 512 * 1024;

/** Parses the bodies of this scope as forms; a body of another type is an empty form. */
export function parsePageForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer" },
    async (_request: unknown, body: Buffer) => formWith(readFormBody(body, formLimit)),
  );
  scope.addContentTypeParser("*", (_request, payload, done) => {
    payload.resume();
    done(null, noForm);
  });
}

function isForm(value: unknown): value is Form {
  return typeof value === "object" && value !== null && "one" in value && "all" in value;
}

export function submittedForm(body: unknown): Form {
  return isForm(body) ? body : noForm;
}
