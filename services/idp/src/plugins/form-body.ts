import type { FastifyInstance } from "fastify";

/** A form of ours as it came in. */
export interface Form {
  /** The field, empty text included; undefined when it is missing or came twice. */
  one(name: string): string | undefined;
  all(name: string): readonly string[];
}

function formOfText(body: string): Form {
  const fields = new URLSearchParams(body);
  return {
    one: (name) => {
      const values = fields.getAll(name);
      return values.length === 1 ? values[0] : undefined;
    },
    all: (name) => fields.getAll(name),
  };
}

const noForm = formOfText("");

/** Bodies of this scope are forms; anything else is an empty one. */
export function parseForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    async (_request: unknown, body: string | Buffer) => formOfText(String(body)),
  );
  scope.addContentTypeParser("*", (_request, payload, done) => {
    payload.resume();
    done(null, noForm);
  });
}

function isForm(value: unknown): value is Form {
  return typeof value === "object" && value !== null && "one" in value && "all" in value;
}

export function formOf(body: unknown): Form {
  return isForm(body) ? body : noForm;
}
