import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/platform/http";
import { assertionSecret } from "./stack-config.ts";

/** A response, as a browser without JavaScript sees it. */
export interface Page {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
  /** The target, if the response is a redirect. */
  readonly location: string | undefined;
}

/** A browser without JavaScript. It has cookies and forms; only `open` follows redirects. */
export interface Browser {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Page>;
  /** GET, following redirects within the site. */
  open(path: string): Promise<Page>;
  /** Sends any request with this browser's cookies. */
  send(path: string, init: RequestInit): Promise<Page>;
  post(path: string, fields: Record<string, string>): Promise<Page>;
  /** Submits the first form of a page with its hidden fields. A form that deletes is used only if there is no other. */
  submit(page: Page, fields: Record<string, string>): Promise<Page>;
}

/** The gateway states the time of Redis as well, which runs on this host. */
const redisClock = { now: () => Date.now(), isMeasured: () => true };
const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 30 }, redisClock);

const unescape = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

export function hiddenFields({ text }: Pick<Page, "text">): Record<string, string> {
  const found = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
  return Object.fromEntries([...found].map(([, name = "", value = ""]) => [name, unescape(value)]));
}

/** Address and hidden fields of the form that `submit` sends. Without a form, the page's address and all hidden fields. */
export function formOf(page: Pick<Page, "text" | "url">): {
  readonly action: string;
  readonly hidden: Record<string, string>;
} {
  const found = page.text.matchAll(/<form method="post" action="([^"]+)"[^>]*>(.*?)<\/form>/gs);
  const forms = [...found].map(([, action = "", text = ""]) => ({
    action: unescape(action),
    hidden: hiddenFields({ text }),
  }));
  const form = forms.find(({ hidden }) => hidden["_method"] === undefined) ?? forms[0];
  return form ?? { action: page.url, hidden: hiddenFields(page) };
}

/** Sends each request to the next replica, as through a load balancer. */
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
    submit: (page, fields) => {
      const { action, hidden } = formOf(page);
      return browser.post(action, { ...hidden, ...fields });
    },
  };
  return browser;
}

/** The same person at one replica. */
export function browserWith(cookies: ReadonlyMap<string, string>, replica: string): Browser {
  const browser = createBrowser([replica]);
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  return browser;
}
