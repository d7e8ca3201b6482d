import { type TObject, Type } from "typebox";
import { emptyAnswer, errorAnswer, temporaryFailure } from "../openapi/answers.ts";
import { defineOperation, type HttpMethod, type Operation } from "../openapi/define-operation.ts";

const path: TObject = Type.Object({
  hookName: Type.String({ description: "`http_location` of the hook; it may have more segments." }),
});
const any = { "*/*": Type.Unknown() };
const answers: Operation["answers"] = {
  200: {
    description: "What the hook says; it may choose another status, type and headers.",
    content: any,
    bodyOptional: true,
  },
  204: emptyAnswer("The hook says nothing."),
  401: { ...errorAnswer("The hook is not public, and credentials are missing or wrong."), bodyOptional: true },
  403: errorAnswer("The hook or all hooks are off, or the token lacks a scope of the hook."),
  404: errorAnswer("No hook has this name and method."),
  429: emptyAnswer("The address's budget of failures is empty; Retry-After says when to come again."),
  500: temporaryFailure,
  503: emptyAnswer("The caller's token cannot be judged now; Retry-After says when to come again."),
};

function hook(method: HttpMethod, operationId: string): Operation {
  const body = method === "get" ? {} : { body: any, bodyRequired: false };
  const summary = "Runs a script of the site";
  const request = { path, ...body };
  return defineOperation({
    method,
    path: "/api/v1/custom/{hookName}",
    operationId,
    summary,
    tag: "Custom hooks",
    audience: "management",
    security: "hook",
    request,
    answers,
  });
}

/** `ANY /api/v1/custom/{hookName}`: what goes in and out is the site's own. */
export const hookOperations: readonly Operation[] = [
  hook("get", "getCustomHook"),
  hook("post", "postCustomHook"),
  hook("put", "putCustomHook"),
  hook("patch", "patchCustomHook"),
  hook("delete", "deleteCustomHook"),
];
