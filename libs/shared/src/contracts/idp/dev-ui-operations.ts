import { Type } from "typebox";
import { errorAnswer, jsonAnswer, operatorApi, pathOf } from "../operations/answers.ts";
import { component, text } from "../schema.ts";
import { languageTag, page } from "./page-operation.ts";

const base = "/api/v1/dev/ui";
const devUi = operatorApi({ name: "developer UI", prefix: base, owner: "idp", anyScope: [] }, "Developer UI", {
  403: errorAnswer("runtime.developer_mode is false, or the token lacks a scope."),
});
const template = text("Name of a page in the list of the developer UI.");
const rendered = { 200: page("The page."), 404: errorAnswer("The template or language is unknown.") };

/** In developer mode they are open where no caller is configured. */
export const devUiOperations = [
  devUi("get", base, "developerUi", {
    summary: "List all pages of the identity provider",
    answers: { 200: page("The list.") },
  }),
  devUi("get", `${base}/version`, "developerUiVersion", {
    summary: "Get a version that changes whenever the pages may have changed",
    answers: { 200: jsonAnswer("The version.", component("DeveloperUiVersion", { version: Type.String() })) },
  }),
  devUi("get", `${base}/render/{template}`, "renderTemplate", {
    summary: "Show a page with sample data",
    request: pathOf({ template }),
    answers: rendered,
  }),
  devUi("get", `${base}/render/{template}/{languageTag}`, "renderTemplateInLanguage", {
    summary: "Show a page with sample data in a given language",
    request: pathOf({ template, languageTag }),
    answers: rendered,
  }),
];
