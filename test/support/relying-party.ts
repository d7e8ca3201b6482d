import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Browser, Page } from "./browser.ts";
import type { MailCertificate } from "./notification-receivers.ts";
import { callback, type OidcStack } from "./oidc-stack.ts";

/** The back-channel logout endpoint of a client. It records logout tokens and returns `status`. */
export interface BackChannel extends AsyncDisposable {
  readonly uri: string;
  readonly tokens: string[];
  readonly bodies: URLSearchParams[];
  status: number;
  /** Responses are sent once this promise resolves. */
  held: Promise<unknown> | undefined;
}

/** @param certificate makes it an HTTPS server for `localhost` */
export async function startBackChannel(certificate?: MailCertificate): Promise<BackChannel> {
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      const body = new URLSearchParams(text);
      channel.bodies.push(body);
      void Promise.resolve(channel.held).then(() => {
        if (channel.status < 300) channel.tokens.push(body.get("logout_token") ?? "");
        response.writeHead(channel.status).end();
      });
    });
  };
  const server = certificate === undefined ? createServer(handle) : createSecureServer(certificate, handle);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const channel: BackChannel = {
    uri: certificate === undefined ? `http://127.0.0.1:${port}/backchannel` : `https://localhost:${port}/backchannel`,
    tokens: [],
    bodies: [],
    status: 200,
    held: undefined,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return channel;
}

export interface Tokens {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** An OIDC client that sends each request to the next replica. */
export interface RelyingParty {
  readonly id: string;
  /** Sends the authorization request without its empty parameters. */
  authorize(browser: Browser, more?: Readonly<Record<string, string>>): Promise<Page>;
  /** Redeems the code in the response to an authorization request. */
  redeem(page: Page): Promise<Tokens>;
  token(form: Readonly<Record<string, string>>): Promise<Tokens>;
  userinfo(token: unknown, init?: RequestInit): Promise<Tokens>;
}

/** Parameters of the response to an authorization request, from the redirect or the form_post page. */
export function answerOf(page: Page): URLSearchParams {
  if (page.location !== undefined) return new URL(page.location, callback).searchParams;
  const fields = page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"\/?>/g);
  return new URLSearchParams([...fields].map(([, name = "", value = ""]) => [name, value]));
}

let turn = 0;

export async function askInTurn(oidc: OidcStack, path: string, init: RequestInit = {}): Promise<Tokens> {
  turn += 1;
  const response = await oidc.ask(turn % oidc.replicas.length, path, init);
  const text = await response.text();
  const body: Readonly<Record<string, unknown>> = text.startsWith("{") ? Object(JSON.parse(text)) : { text };
  return { status: response.status, body, headers: response.headers };
}

export function relyingParty(oidc: OidcStack, id: string): RelyingParty {
  const verifier = randomBytes(32).toString("base64url");
  const authorization = `Basic ${btoa(`${id}:${id}-secret`)}`;
  const token: RelyingParty["token"] = (form) =>
    askInTurn(oidc, "/oidc/token", {
      method: "POST",
      headers: { authorization },
      body: new URLSearchParams(form),
    });
  return {
    id,
    token,
    authorize: (browser, more = {}) => {
      const query = new URLSearchParams({
        response_type: "code",
        client_id: id,
        redirect_uri: callback,
        scope: "openid profile email offline_access",
        state: "state-1",
        nonce: "nonce-1",
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        ...more,
      });
      for (const [name, value] of Array.from(query)) if (value === "") query.delete(name);
      return browser.get(`/oidc/authorize?${query.toString()}`, { accept: "text/html" });
    },
    redeem: (page) =>
      token({
        grant_type: "authorization_code",
        code: answerOf(page).get("code") ?? "",
        redirect_uri: callback,
        code_verifier: verifier,
      }),
    userinfo: (value, init = {}) =>
      askInTurn(oidc, "/oidc/userinfo", { headers: { authorization: `Bearer ${String(value)}` }, ...init }),
  };
}
