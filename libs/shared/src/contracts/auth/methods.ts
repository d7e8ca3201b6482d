import { defineMethod } from "../define.ts";
import { AuthDecision } from "./decision.ts";
import { AuthRequest } from "./request.ts";

export const authenticate = defineMethod({
  service: "auth-engine",
  name: "authenticate",
  major: 1,
  request: AuthRequest,
  reply: AuthDecision,
  // Failures are counted once for each request id, and no one-time value is used up.
  repeatable: true,
});
