import { Type } from "typebox";
import { defineOperation } from "../operations/define-operation.ts";
import { rootFamily, staticFamily, wellKnownFamily } from "./families.ts";

const common = { method: "get", tag: "Contract", audience: "idp", security: "none" } as const;

export const idpOperations = [
  defineOperation({
    ...common,
    tag: "Self-service",
    family: rootFamily,
    path: "/",
    operationId: "rootPage",
    summary: "Redirect to the account page, if the pages are enabled",
    answers: { 302: { description: "Redirect to the account page.", headers: { Location: Type.String() } } },
  }),
  defineOperation({
    ...common,
    family: wellKnownFamily,
    path: "/.well-known/openapi.yaml",
    operationId: "idpContractYaml",
    summary: "Get this document as YAML",
    answers: { 200: { description: "The document.", content: { "application/yaml": Type.Unknown() } } },
  }),
  defineOperation({
    ...common,
    family: wellKnownFamily,
    path: "/.well-known/openapi.json",
    operationId: "idpContractJson",
    summary: "Get this document as JSON",
    answers: { 200: { description: "The document.", content: { "application/json": Type.Unknown() } } },
  }),
  defineOperation({
    ...common,
    family: staticFamily,
    path: "/static/{asset}",
    operationId: "asset",
    summary: "Get a stylesheet, script or picture of the pages",
    takesRest: true,
    undocumented: "the pages' own assets, whose names change with their content",
    request: { path: Type.Object({ asset: Type.String() }) },
    answers: { 200: { description: "The asset." }, 404: { description: "No asset has this name." } },
  }),
];
