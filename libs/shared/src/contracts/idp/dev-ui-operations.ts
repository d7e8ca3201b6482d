import { Type } from "typebox";
import { errorAnswer, jsonAnswer, temporaryFailure } from "../operations/answers.ts";
import { defineOperation, type OperationAnswer } from "../operations/define-operation.ts";
import { defineFamily } from "../operations/route-family.ts";

const family = defineFamily({
  name: "developer UI",
  prefix: "/api/v1/dev/ui",
  owner: "idp",
  channel: "back",
  anyScope: [],
});
const common = {
  family,
  method: "get",
  tag: "Developer UI",
  audience: "management",
  security: "backchannel",
} as const;
const base = "/api/v1/dev/ui";
const html = (description: string): OperationAnswer => ({ description, content: { "text/html": Type.String() } });
const disabled = errorAnswer("runtime.developer_mode is false, or the token lacks a scope.");
const template = Type.String({ description: "Name of a page in the list of the developer UI." });
const rendered = {
  200: html("The page."),
  403: disabled,
  404: errorAnswer("The template or language is unknown."),
  500: temporaryFailure,
};

/** In developer mode they are open where no caller is configured. */
export const devUiOperations = [
  defineOperation({
    ...common,
    path: base,
    operationId: "developerUi",
    summary: "List all pages of the identity provider",
    answers: { 200: html("The list."), 403: disabled, 500: temporaryFailure },
  }),
  defineOperation({
    ...common,
    path: `${base}/version`,
    operationId: "developerUiVersion",
    summary: "Get a version that changes whenever the pages may have changed",
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
    summary: "Show a page with sample data",
    request: { path: Type.Object({ template }) },
    answers: rendered,
  }),
  defineOperation({
    ...common,
    path: `${base}/render/{template}/{languageTag}`,
    operationId: "renderTemplateInLanguage",
    summary: "Show a page with sample data in a given language",
    request: {
      path: Type.Object({
        template,
        languageTag: Type.String({ description: "Language tag (BCP 47), such as `de`." }),
      }),
    },
    answers: rendered,
  }),
];
