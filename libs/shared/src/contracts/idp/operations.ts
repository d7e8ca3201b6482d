import { Type } from "typebox";
import { pathOf } from "../operations/answers.ts";
import { operationsWith } from "../operations/define-operation.ts";
import { rootFamily, staticFamily, wellKnownFamily } from "./page-operation.ts";

const contract = operationsWith({ family: wellKnownFamily, tag: "Contract", audience: "idp", security: "none" });

export const idpOperations = [
  contract("get", "/", "rootPage", {
    tag: "Self-service",
    family: rootFamily,
    summary: "Redirect to the account page, if the pages are enabled",
    answers: { 302: { description: "Redirect to the account page.", headers: { Location: Type.String() } } },
  }),
  contract("get", "/.well-known/openapi.yaml", "idpContractYaml", {
    summary: "Get this document as YAML",
    answers: { 200: { description: "The document.", content: { "application/yaml": Type.Unknown() } } },
  }),
  contract("get", "/.well-known/openapi.json", "idpContractJson", {
    summary: "Get this document as JSON",
    answers: { 200: { description: "The document.", content: { "application/json": Type.Unknown() } } },
  }),
  contract("get", "/static/{asset}", "asset", {
    family: staticFamily,
    summary: "Get a stylesheet, script or picture of the pages",
    takesRest: true,
    undocumented: "the pages' own assets, whose names change with their content",
    request: pathOf({ asset: Type.String() }),
    answers: { 200: { description: "The asset." }, 404: { description: "No asset has this name." } },
  }),
];
