import type { Step } from "../step.ts";

/** An empty password is a denial before any directory sees it: LDAP would take it for an anonymous bind (RFC 4513 §5.1.2). */
export const rejectEmptyPassword: Step = {
  name: "reject-empty-password",
  run: ({ operation, password }) =>
    operation === "authenticate" && (password === undefined || password.isEmpty)
      ? { outcome: "fail", reason: "empty_password", memoryCache: "miss" }
      : undefined,
};
