import { type TObject, type TSchema, Type } from "typebox";
import {
  defineOperation,
  type HttpMethod,
  type Operation,
  type OperationAnswer,
  type OperationSecurity,
} from "../openapi/define-operation.ts";

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

export const csrfToken = Type.String({ description: "Of the page's form." });

/** A page for browsers. */
export interface PageOperation {
  readonly tag: string;
  readonly security: OperationSecurity;
  readonly method: HttpMethod;
  readonly path: string;
  readonly operationId: string;
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
}: Pick<PageOperation, "form" | "json">): Readonly<Record<string, TSchema>> | undefined {
  if (form !== undefined) return { [formType]: form };
  return json === undefined ? undefined : { "application/json": json };
}

const expired = page("The request is invalid, or its sign-in is over or another browser's.");
const failed = page("A temporary failure.");
const unknown = page("The language is unknown.");
const language = { languageTag: Type.String({ description: "BCP 47: `de`." }) };

/**
 * The operation and the same in a language, which every path takes but those of one thing and those that only delete
 * (contract, self-service).
 */
export function pageOperations(row: PageOperation): readonly Operation[] {
  const { pathFields, query, headers, form, json, answers, ...named } = row;
  const content = contentOf({ ...(form !== undefined && { form }), ...(json !== undefined && { json }) });
  const parts = {
    ...(query !== undefined && { query }),
    ...(headers !== undefined && { headers }),
    ...(content !== undefined && { body: content }),
  };
  const all = { ...(answers[400] === undefined && { 400: expired }), 500: failed, ...answers };
  const request = { ...parts, ...(pathFields !== undefined && { path: pathFields }) };
  const operation = defineOperation({ ...named, audience: "idp", request, answers: all });
  if (row.method === "delete" || row.path.includes("{")) return [operation];
  return [
    operation,
    defineOperation({
      ...operation,
      path: `${row.path}/{languageTag}`,
      operationId: `${row.operationId}InLanguage`,
      summary: `${row.summary}, in a language`,
      request: { ...parts, path: Type.Object(language) },
      answers: { ...all, 404: unknown },
    }),
  ];
}
