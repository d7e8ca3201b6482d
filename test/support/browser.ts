import { Secret } from "@postern/shared/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/http";
import { assertionSecret } from "./stack-config.ts";

/** An answer as a browser without script sees it. */
export interface Page {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
  /** Of a redirect. */
  readonly location: string | undefined;
}

/** A browser without script: cookies, redirects that the test follows itself, forms. */
export interface Browser {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Page>;
  /** GET, and every redirect of ours after it. */
  open(path: string): Promise<Page>;
  /** Any request with this browser's cookies. */
  send(path: string, init: RequestInit): Promise<Page>;
  post(path: string, fields: Record<string, string>): Promise<Page>;
  /** Fills in the form of a page: its hidden fields are sent along. */
  submit(page: Page, fields: Record<string, string>): Promise<Page>;
}

const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 30 });

const unescape = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

export function hiddenFields({ text }: Page): Record<string, string> {
  const found = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
  return Object.fromEntries([...found].map(([, name = "", value = ""]) => [name, unescape(value)]));
}

function actionOf({ text, url }: Page): string {
  const [, action] = /<form method="post" action="([^"]+)">/.exec(text) ?? [];
  return action === undefined ? url : unescape(action);
}

/** Speaks to the replicas in turn, as a load balancer would let it. */
export function createBrowser(replicas: readonly string[], clientIp = "192.0.2.7"): Browser {
  const cookies = new Map<string, string>();
  let turn = 0;
  const send = async (path: string, init: RequestInit): Promise<Page> => {
    const replica = replicas[turn % replicas.length] ?? "";
    turn += 1;
    const assertion = await sign({ method: "none", scopes: [], clientIp, session: `test-session-${turn}` }, "idp");
    const headers = new Headers(init.headers);
    headers.set(callerAssertionHeader, assertion);
    headers.set("user-agent", "test browser");
    if (cookies.size > 0) headers.set("cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
    const response = await fetch(`${replica}${path}`, { ...init, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get("location") ?? undefined;
    return { status: response.status, url: path, headers: response.headers, text: await response.text(), location };
  };
  const browser: Browser = {
    cookies,
    send,
    get: (path, headers = {}) => send(path, { headers }),
    open: async (path) => {
      let page = await browser.get(path);
      for (let hops = 0; page.location?.startsWith("/") === true && hops < 10; hops += 1) {
        page = await browser.get(page.location);
      }
      return page;
    },
    post: (path, fields) => send(path, { method: "POST", body: new URLSearchParams(fields) }),
    submit: (page, fields) => browser.post(actionOf(page), { ...hiddenFields(page), ...fields }),
  };
  return browser;
}
