import type { AuthDecision } from "@postern/shared/contracts";
import type { LuaObject } from "@postern/shared/domain/scripts";
import type { Attempt } from "../pipeline/attempt.ts";

/** The attempt as scripts see it, with the fields of docs/operate/scripts/stages.md. Actions do not get the password. */
export function requestTable({ tlsDetails, password, ...attempt }: Attempt, withPassword: boolean): LuaObject {
  return {
    session: attempt.session,
    operation: attempt.operation,
    dialect: attempt.dialect,
    username: attempt.username,
    password: withPassword ? password?.reveal() : undefined,
    protocol: attempt.protocol,
    method: attempt.method,
    client_ip: attempt.clientIp,
    client_port: attempt.clientPort,
    client_hostname: attempt.clientHostname,
    client_id: attempt.clientId,
    external_session_id: attempt.externalSessionId,
    user_agent: attempt.userAgent,
    local_ip: attempt.localIp,
    local_port: attempt.localPort,
    login_attempt: attempt.loginAttempt,
    tls: attempt.tls,
    tls_details: tlsDetails,
    oidc_client_id: attempt.oidcClientId,
    accept_language: attempt.acceptLanguage,
  };
}

/** The decision as later scripts see it. */
export function decisionTable(decision: AuthDecision): LuaObject {
  switch (decision.outcome) {
    case "ok": {
      const { outcome, account, backend, attributes, risk } = decision;
      return { outcome, account, backend, attributes, risk };
    }
    case "fail":
      return { outcome: decision.outcome, reason: decision.reason, message: decision.message, risk: decision.risk };
    case "blocked":
      return { outcome: decision.outcome, rule: decision.rule, message: decision.message };
    case "tempfail":
      return { outcome: decision.outcome, code: decision.code };
  }
}
