import { type TObject, type TSchema, Type } from "typebox";
import {
  defineOperation,
  type HttpMethod,
  type Operation,
  type OperationAnswer,
  type OperationSecurity,
} from "../operations/define-operation.ts";
import type { RouteFamily } from "../operations/route-family.ts";

const html = { "text/html": Type.String() };
const formType = "application/x-www-form-urlencoded";
const location = { Location: Type.String() };

export const page = (description: string): OperationAnswer => ({ description, content: html });
export const sentTo = (description: string): OperationAnswer => ({ description, headers: location });

/** With a line of HTML for people. */
export const noted = (description: string): OperationAnswer => ({
  ...sentTo(description),
  content: html,
  bodyOptional: true,
});

export const csrfToken = Type.String({ description: "CSRF token of the form." });

/** A page for browsers. */
export interface PageOperation<Id extends string, Path extends string> {
  readonly family: RouteFamily;
  readonly tag: string;
  readonly security: OperationSecurity;
  readonly method: HttpMethod;
  readonly path: Path;
  readonly operationId: Id;
  readonly summary: string;
  readonly description?: string;
  readonly pathFields?: TObject;
  readonly query?: TObject;
  readonly headers?: TObject;
  readonly form?: TSchema;
  readonly json?: TSchema;
  readonly answers: Operation["answers"];
}

function contentOf({
  form,
  json,
}: Pick<PageOperation<string, string>, "form" | "json">): Readonly<Record<string, TSchema>> | undefined {
  if (form !== undefined) return { [formType]: form };
  return json === undefined ? undefined : { "application/json": json };
}

const expired = page("The request is invalid, or its sign-in has expired or belongs to another browser.");
const failed = page("Temporary failure.");
const unknown = page("The path segment is not a language tag.");
const language = { languageTag: Type.String({ description: "Language tag (BCP 47), such as `de`." }) };

/** The operation, and the same with a language in the path: `/login/{languageTag}`. */
export function withLanguage<Id extends string, Path extends string>(
  operation: Operation<Id, Path>,
  changes: Partial<Operation>,
): Operation<Id, Path> {
  const { path, ...request } = operation.request ?? {};
  const inLanguage = defineOperation({
    ...operation,
    ...changes,
    path: `${operation.path}/{languageTag}`,
    operationId: `${operation.operationId}InLanguage`,
    request: { ...request, path: Type.Object({ ...path?.properties, ...language }) },
  });
  return defineOperation({ ...operation, inLanguage });
}

/** A page. Paths that only delete and paths that change a single object have no language variant. */
export function definePage<const Id extends string, const Path extends string>(
  row: PageOperation<Id, Path>,
): Operation<Id, Path> {
  const { pathFields, query, headers, form, json, answers, ...named } = row;
  const content = contentOf({ ...(form !== undefined && { form }), ...(json !== undefined && { json }) });
  const request = {
    ...(query !== undefined && { query }),
    ...(headers !== undefined && { headers }),
    ...(content !== undefined && { body: content }),
    ...(pathFields !== undefined && { path: pathFields }),
  };
  const all = { ...(answers[400] === undefined && { 400: expired }), 500: failed, ...answers };
  const operation = defineOperation<Id, Path>({ ...named, audience: "idp", request, answers: all });
  if (row.method === "delete" || (row.method !== "get" && row.path.includes("{"))) return operation;
  return withLanguage(operation, {
    summary: `${row.summary}, in a given language`,
    answers: { ...all, 404: unknown },
  });
}
