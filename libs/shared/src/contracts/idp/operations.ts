import { Type } from "typebox";
import { defineOperation, type Operation } from "../openapi/define-operation.ts";

const common = { method: "get", tag: "Contract", audience: "idp", security: "none" } as const;

export const idpOperations: readonly Operation[] = [
  defineOperation({
    ...common,
    path: "/.well-known/openapi.yaml",
    operationId: "idpContractYaml",
    summary: "This document, as YAML",
    answers: { 200: { description: "The document.", content: { "application/yaml": Type.Unknown() } } },
  }),
  defineOperation({
    ...common,
    path: "/.well-known/openapi.json",
    operationId: "idpContractJson",
    summary: "This document, as JSON",
    answers: { 200: { description: "The document.", content: { "application/json": Type.Unknown() } } },
  }),
];
