import { basicAuth } from "./stack.ts";

export interface PolicyAnswer {
  readonly http: number;
  readonly session: string | undefined;
  /** `status` of the body: a number for allow, ok or failure for the other commands. */
  readonly status: unknown;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A sign-in as a mail server describes it. */
export interface PolicyLogin {
  readonly login?: string | undefined;
  readonly remote?: string | undefined;
  readonly pwhash?: string | undefined;
  readonly [member: string]: unknown;
}

/** Sends a command of the auth-policy protocol. */
export async function askPolicy(
  url: string,
  command: string,
  body: object | undefined,
  authorization: string | null = basicAuth,
): Promise<PolicyAnswer> {
  const response = await fetch(`${url}/api/v1/auth-policy?command=${command}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(authorization !== null && { authorization }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed: Record<string, unknown> = text.startsWith("{") ? JSON.parse(text) : {};
  const session = response.headers.get("x-service-session") ?? undefined;
  return { http: response.status, session, status: parsed["status"], body: parsed };
}

/** Each address has its own user, so that the account delay of one test is not that of another. */
function loginOf(members: PolicyLogin): PolicyLogin {
  return { login: `user-at-${members.remote ?? ""}`, pwhash: "05c4", protocol: "imap", tls: true, ...members };
}

export function policyClient(url: string) {
  const report = (members: PolicyLogin) => askPolicy(url, "report", loginOf(members));
  return {
    allow: (members: PolicyLogin) => askPolicy(url, "allow", loginOf(members)),
    /** `status` of the decision. */
    statusOf: async (members: PolicyLogin) => (await askPolicy(url, "allow", loginOf(members))).status,
    success: (members: PolicyLogin) => report({ success: true, ...members }),
    failure: (members: PolicyLogin) => report({ success: false, policy_reject: false, ...members }),
    /** Reports failures with distinct password hashes. */
    guess: async (members: PolicyLogin, times: number, from = 0): Promise<void> => {
      for (let index = from; index < from + times; index += 1) {
        await report({ success: false, pwhash: `guess-${index}`, ...members });
      }
    },
  };
}
