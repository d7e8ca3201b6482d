import { Type } from "typebox";
import { errorAnswer, jsonAnswer, temporaryFailure } from "../openapi/answers.ts";
import { defineOperation, type Operation, type OperationAnswer } from "../openapi/define-operation.ts";

const common = { method: "get", tag: "Developer UI", audience: "management", security: "backchannel" } as const;
const base = "/api/v1/dev/ui";
const html = (description: string): OperationAnswer => ({ description, content: { "text/html": Type.String() } });
const disabled = errorAnswer("runtime.developer_mode is off, or the token lacks a scope.");
const template = Type.String({ description: "A page, as the developer UI lists it." });
const rendered = {
  200: html("The page."),
  403: disabled,
  404: errorAnswer("The template or the language is unknown."),
  500: temporaryFailure,
};

/** In developer mode they are open where no caller is configured. */
export const devUiOperations: readonly Operation[] = [
  defineOperation({
    ...common,
    path: base,
    operationId: "developerUi",
    summary: "The list of all pages of the identity provider",
    answers: { 200: html("The list."), 403: disabled, 500: temporaryFailure },
  }),
  defineOperation({
    ...common,
    path: `${base}/version`,
    operationId: "developerUiVersion",
    summary: "Changes whenever the pages could have changed",
    answers: {
      200: jsonAnswer("The version.", Type.Object({ version: Type.String() }, { title: "DeveloperUiVersion" })),
      403: disabled,
      500: temporaryFailure,
    },
  }),
  defineOperation({
    ...common,
    path: `${base}/render/{template}`,
    operationId: "renderTemplate",
    summary: "A page with sample data",
    request: { path: Type.Object({ template }) },
    answers: rendered,
  }),
  defineOperation({
    ...common,
    path: `${base}/render/{template}/{languageTag}`,
    operationId: "renderTemplateInLanguage",
    summary: "A page with sample data, in a language",
    request: { path: Type.Object({ template, languageTag: Type.String({ description: "BCP 47: `de`." }) }) },
    answers: rendered,
  }),
];
