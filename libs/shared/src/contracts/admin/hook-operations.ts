import { type TObject, Type } from "typebox";
import { emptyAnswer, errorAnswer, temporaryFailure } from "../operations/answers.ts";
import { type HttpMethod, type Operation, operationsWith } from "../operations/define-operation.ts";
import { defineFamily } from "../operations/route-family.ts";
import { text } from "../schema.ts";

/** Each hook has its own scopes, which the admin service checks. */
const family = defineFamily({
  name: "custom hooks",
  prefix: "/api/v1/custom",
  owner: "admin",
  channel: "back",
  anyScope: [],
});
const path: TObject = Type.Object({
  hookName: text("`http_location` of the hook, which may have several segments."),
});
const any = { "*/*": Type.Unknown() };
const answers: Operation["answers"] = {
  200: {
    description: "Response of the hook. The hook may set another status, content type and headers.",
    content: any,
    bodyOptional: true,
  },
  204: emptyAnswer("Empty response of the hook."),
  401: { ...errorAnswer("The hook is not public, and credentials are missing or wrong."), bodyOptional: true },
  403: errorAnswer("The hook or all hooks are disabled, or the token lacks a scope of the hook."),
  404: errorAnswer("No hook has this path and method."),
  429: emptyAnswer("The failure budget of the address is exhausted. Retry-After says when to try again."),
  500: temporaryFailure,
  503: emptyAnswer("The token cannot be verified at the moment. Retry-After says when to try again."),
};

const define = operationsWith({
  family,
  disabledBy: "custom_hooks",
  takesRest: true,
  tag: "Custom hooks",
  audience: "management",
  security: "hook",
});

function hook<const Id extends string>(method: HttpMethod, operationId: Id) {
  const request = { path, ...(method !== "get" && { body: any, bodyRequired: false }) };
  return define(method, "/api/v1/custom/{hookName}", operationId, { summary: "Run a custom hook", request, answers });
}

/** `ANY /api/v1/custom/{hookName}`: the site defines requests and answers. */
export const hookOperations = [
  hook("get", "getCustomHook"),
  hook("post", "postCustomHook"),
  hook("put", "putCustomHook"),
  hook("patch", "patchCustomHook"),
  hook("delete", "deleteCustomHook"),
];
