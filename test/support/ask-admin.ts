import { basicAuth, type Stack } from "./stack.ts";

/** A response of the management API. */
export interface AdminAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface AdminRequest {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = text === "" ? {} : JSON.parse(text);
  return Object(value);
}

/** Sends a request through the gateway, with Basic credentials unless headers replace them. A string body is sent unchanged. */
export async function askAdmin(
  { url }: Pick<Stack, "url">,
  method: string,
  path: string,
  { body, headers = {} }: AdminRequest = {},
): Promise<AdminAnswer> {
  const hasBody = body !== undefined;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: basicAuth, ...(hasBody && { "content-type": "application/json" }), ...headers },
    ...(hasBody && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}
