import { Type } from "typebox";
import { emptyAnswer, jsonAnswer, operatorApi } from "../operations/answers.ts";
import {
  AuthPolicyDecision,
  AuthPolicyDone,
  AuthPolicyFailure,
  AuthPolicyRequest,
  authPolicyCommands,
} from "./wire.ts";

const path = "/api/v1/auth-policy";
const failures = {
  400: jsonAnswer("Malformed request, or an unknown command.", AuthPolicyFailure),
  404: emptyAnswer("runtime.servers.http.auth_policy_endpoint is false."),
  500: jsonAnswer("Temporary failure. Dovecot then lets the sign-in proceed.", AuthPolicyFailure),
};

const authPolicy = operatorApi(
  { name: "authentication policy", prefix: path, owner: "gateway", anyScope: [] },
  "Authentication policy",
  failures,
);

/** The auth-policy protocol of Dovecot and weakforced. */
export const authPolicyOperations = [
  authPolicy("post", path, "authPolicy", {
    maxBodyBytes: 131_072,
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
    answers: { 200: jsonAnswer("The answer.", Type.Union([AuthPolicyDecision, AuthPolicyDone])) },
  }),
  authPolicy("get", path, "authPolicyPing", {
    summary: "Check that an engine can evaluate sign-ins",
    request: { query: Type.Object({ command: Type.Literal("ping") }) },
    answers: { 200: jsonAnswer("An engine sends heartbeats.", AuthPolicyDone) },
  }),
];
