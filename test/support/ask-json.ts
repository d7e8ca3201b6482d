import { basicAuth } from "./stack.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export interface AskOptions {
  readonly query?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `POST /api/v1/auth/json` with the API caller's credentials. A string body is sent unchanged. */
export async function askJson(
  url: string,
  body: unknown,
  { query = "", headers = {} }: AskOptions = {},
): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/auth/json${query}`, {
    method: "POST",
    headers: { authorization: basicAuth, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

export const alice = {
  username: "alice@example.test",
  password: "alice-demo-password",
  protocol: "imap",
  client_ip: "203.0.113.9",
} as const;
