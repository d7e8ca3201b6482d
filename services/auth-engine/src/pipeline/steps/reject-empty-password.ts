import type { Step } from "../step.ts";

/** Denies an empty password before any backend sees it: LDAP would treat it as an anonymous bind (RFC 4513 §5.1.2). */
export const rejectEmptyPassword: Step = {
  name: "reject-empty-password",
  run: ({ operation, password }) =>
    operation === "authenticate" && (password === undefined || password.isEmpty)
      ? { outcome: "fail", reason: "empty_password", memoryCache: "miss" }
      : undefined,
};
