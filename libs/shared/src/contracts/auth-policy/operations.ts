import { Type } from "typebox";
import { emptyAnswer, jsonAnswer } from "../operations/answers.ts";
import { defineOperation } from "../operations/define-operation.ts";
import { defineFamily } from "../operations/route-family.ts";
import {
  AuthPolicyDecision,
  AuthPolicyDone,
  AuthPolicyFailure,
  AuthPolicyRequest,
  authPolicyCommands,
} from "./wire.ts";

const family = defineFamily({
  name: "authentication policy",
  prefix: "/api/v1/auth-policy",
  owner: "gateway",
  channel: "back",
  anyScope: [],
});
const common = {
  family,
  tag: "Authentication policy",
  audience: "management",
  security: "backchannel",
  path: "/api/v1/auth-policy",
} as const;
const failures = {
  400: jsonAnswer("Malformed request, or an unknown command.", AuthPolicyFailure),
  404: emptyAnswer("runtime.servers.http.auth_policy_endpoint is false."),
  500: jsonAnswer("Temporary failure. Dovecot then lets the sign-in proceed.", AuthPolicyFailure),
};

/** The auth-policy protocol of Dovecot and weakforced. */
export const authPolicyOperations = [
  defineOperation({
    ...common,
    method: "post",
    maxBodyBytes: 131_072,
    operationId: "authPolicy",
    summary: "Ask about, report or reset sign-ins that a mail server verifies itself",
    description:
      "allow answers with a decision, the other commands with status ok. reset requires the scope service:security or service:admin.",
    request: {
      query: Type.Object({
        command: Type.Union(authPolicyCommands.map((command) => Type.Literal(command))),
      }),
      body: { "application/json": AuthPolicyRequest },
      bodyRequired: false,
    },
    answers: { 200: jsonAnswer("The answer.", Type.Union([AuthPolicyDecision, AuthPolicyDone])), ...failures },
  }),
  defineOperation({
    ...common,
    method: "get",
    operationId: "authPolicyPing",
    summary: "Check that an engine can evaluate sign-ins",
    request: { query: Type.Object({ command: Type.Literal("ping") }) },
    answers: { 200: jsonAnswer("An engine sends heartbeats.", AuthPolicyDone), ...failures },
  }),
];
