import {
  type ConsoleRole,
  consoleActions,
  consolePages,
  consoleRoles,
  consoleRoutes,
  fillPath,
  hasRight,
  isConsoleAction,
  mayAct,
  operation,
} from "@postern/shared/contracts";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { sharedChromium } from "../../support/chromium.ts";
import {
  auditLines,
  type ConsoleStack,
  cookieHeader,
  type OperatorName,
  openConsole,
  startConsoleStack,
} from "./console-stack.ts";

let desk: ConsoleStack;
let browser: Browser;

interface SignedIn {
  readonly cookie: string;
  readonly token: string;
  readonly menu: readonly string[];
}

const operators: Readonly<Record<ConsoleRole, OperatorName>> = { helpdesk: "helen", security: "sam", admin: "ada" };
const signedIn = new Map<ConsoleRole, SignedIn>();

beforeAll(async () => {
  desk = await startConsoleStack();
  browser = await sharedChromium();
  for (const role of consoleRoles) {
    await using context = await browser.newContext({ locale: "en-US" });
    const page = await openConsole(context, desk, operators[role]);
    signedIn.set(role, {
      cookie: await cookieHeader(context, desk),
      token: await page.locator('input[name="csrf_token"]').first().inputValue(),
      menu: await page.locator("header nav a").allInnerTexts(),
    });
  }
});

afterAll(async () => {
  await desk[Symbol.asyncDispose]();
});

const isRoute = (id: string): id is keyof typeof consoleRoutes => Object.hasOwn(consoleRoutes, id);
const routes = Object.keys(consoleRoutes).filter((id) => isRoute(id));
const actions = Object.keys(consoleActions).filter((id) => isConsoleAction(id));
const carol = "carol@example.test";
/** What all forms together need. */
const fields = { query: carol, target: carol, reason: "ticket 1", format: "csv" };

async function ask(id: keyof typeof consoleRoutes, who: SignedIn | undefined): Promise<Response> {
  const { method, path } = operation(id);
  const url = `${desk.url}${fillPath(path, { action: "flush", asset: "none.js" })}`;
  const headers = { ...(who && { cookie: who.cookie }), origin: desk.url };
  const body = new URLSearchParams({ ...fields, csrf_token: who?.token ?? "" });
  const aborter = new AbortController();
  const { signal } = aborter;
  const response = await fetch(url, {
    method,
    headers,
    redirect: "manual",
    signal,
    ...(method === "post" && { body }),
  });
  if (path.endsWith("/events")) aborter.abort();
  return response;
}

const guarded = routes.flatMap((id) => {
  const right = consoleRoutes[id];
  return right === "everyone" || id === "consoleSignOut" ? [] : [[id, right] as const];
});

test.each(guarded)(
  "%s requires the right %s: a role without it gets 403, and no session opens it",
  async (id, right) => {
    const answers = await Promise.all(
      consoleRoles.map(async (role) => [role, (await ask(id, signedIn.get(role))).status] as const),
    );
    for (const [role, status] of answers) {
      expect([id, role, status === 403]).toEqual([id, role, !hasRight({ role }, right)]);
      expect([id, role, status < 400]).toEqual([id, role, hasRight({ role }, right)]);
    }
    const without = await ask(id, undefined);
    const isPage = operation(id).method === "get" && !operation(id).path.endsWith("/events");
    expect([without.status, without.headers.get("location")?.split("?")[0]]).toEqual(
      isPage ? [303, "/console/sign-in"] : [403, undefined],
    );
  },
);

test.each(consoleRoles)(
  "the role %s sees the pages that it may open, and nothing that leads elsewhere",
  async (role) => {
    const who = signedIn.get(role);
    const pages = Object.entries(consolePages).filter(([, page]) => hasRight({ role }, consoleRoutes[page.operation]));
    expect(who?.menu).toEqual(pages.map(([, { title }]) => title));
    for (const [, page] of pages) {
      const html = await (await ask(page.operation, who)).text();
      const paths = [...html.matchAll(/(?:href|action|formaction|data-events|data-document)="(\/console[^"?]*)/gu)];
      const refused = routes.filter((id) => {
        const right = consoleRoutes[id];
        return right !== "everyone" && !hasRight({ role }, right);
      });
      const led = refused.filter((id) => paths.some(([, path]) => path === operation(id).path));
      expect([page.title, led]).toEqual([page.title, []]);
    }
  },
);

function formOf(target: string, token: string): URLSearchParams {
  const isItem = target !== "account" && target !== "network";
  return new URLSearchParams({
    csrf_token: token,
    target: target === "network" ? "192.0.2.0/24" : carol,
    reason: "ticket 1",
    ...(isItem && { item: "none" }),
  });
}

const accountPages = new Map<ConsoleRole, Promise<string>>();

async function readAccountPage(who: SignedIn | undefined): Promise<string> {
  const found = await ask("consoleFindAccount", who);
  const page = await fetch(new URL(found.headers.get("location") ?? "", desk.url), {
    headers: { cookie: who?.cookie ?? "" },
  });
  return page.text();
}

/** What a role sees of an account; read once. */
function accountPageOf(role: ConsoleRole): Promise<string> {
  const known = accountPages.get(role) ?? readAccountPage(signedIn.get(role));
  accountPages.set(role, known);
  return known;
}

test.each(actions)(
  "the action %s is refused to every role that may not do it, and the account page does not offer it",
  async (id) => {
    const { target } = consoleActions[id];
    for (const role of consoleRoles) {
      const who = signedIn.get(role);
      const response = await fetch(`${desk.url}/console/actions/${id}`, {
        method: "POST",
        redirect: "manual",
        headers: { cookie: who?.cookie ?? "", origin: desk.url },
        body: formOf(target, who?.token ?? ""),
      });
      const may = mayAct({ role }, id, { resetsFactors: false });
      expect([role, response.status === 403]).toEqual([role, !may]);
      const isOffered = (await accountPageOf(role)).includes(`/console/actions/${id}"`);
      if (!may) expect([role, isOffered]).toEqual([role, false]);
    }
  },
);

/** Names of an account that this backend folds, and one (U+FF44) that only counts and facts fold. */
function spellingsOf(name: string): readonly string[] {
  const wide = name.replace("a", "\uff41");
  const [local = ""] = name.split("@");
  return [name.toUpperCase(), ` ${name} `, wide, name.replace("@", "+x@"), local, name.replaceAll("d", "\uff44")];
}

const ofAccount = actions.filter((id) => consoleActions[id].target !== "network");

async function act(id: string, role: ConsoleRole, target: string): Promise<number> {
  const who = signedIn.get(role);
  const form = formOf(isConsoleAction(id) ? consoleActions[id].target : "", who?.token ?? "");
  form.set("target", target);
  const { status } = await fetch(`${desk.url}/console/actions/${id}`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: who?.cookie ?? "", origin: desk.url },
    body: form,
  });
  return status;
}

const operations = [
  "cache.flush",
  "second_factor.unlock",
  "second_factor.remove",
  "session.end",
  "app_password.delete",
];
const onAda = () => operations.flatMap((event) => auditLines(desk, event)).filter(({ target }) => target !== carol);

test.each(ofAccount)("%s does not reach a higher operator under any spelling of the name", async (id) => {
  for (const spelling of spellingsOf("ada@example.test")) {
    const statuses = await Promise.all([act(id, "helpdesk", spelling), act(id, "security", spelling)]);
    expect([spelling, statuses.every((status) => status === 403 || status === 404 || status === 303)]).toEqual([
      spelling,
      true,
    ]);
  }
  expect(onAda()).toEqual([]);
  const done = auditLines(desk, "console.action").filter(({ reason, outcome }) => reason === id && outcome === "ok");
  expect(done.filter(({ target }) => target !== carol)).toEqual([]);
});

test.each(spellingsOf(carol).slice(0, 5))(
  "an action on %j is carried out on the account, which the audit stream names",
  async (spelling) => {
    const before = auditLines(desk, "cache.flush").length;
    expect(await act("flush", "helpdesk", spelling)).toBe(303);
    expect(auditLines(desk, "console.action").at(-1)).toMatchObject({ target: carol, reason: "flush", outcome: "ok" });
    expect(auditLines(desk, "cache.flush").slice(before)).toMatchObject([{ target: carol }]);
  },
);

const managed = (name: string) => [
  askAdmin(desk.stack, "POST", "/api/v1/console/account", { body: { account: name } }),
  askAdmin(desk.stack, "GET", `/api/v1/console/explain?${new URLSearchParams({ query: name }).toString()}`),
  askAdmin(desk.stack, "GET", `/api/v1/console/risk?${new URLSearchParams({ query: name }).toString()}`),
];

test.each(spellingsOf(carol).slice(0, 5))("the management API shows the same account for %j", async (spelling) => {
  const answers = await Promise.all(managed(spelling));
  expect(answers.map(({ status, body }) => [status, body["account"]])).toEqual(answers.map(() => [200, carol]));
});

const pathOf = (name: string): string => `/api/v1/oidc/sessions/${encodeURIComponent(name)}`;

test("the management API lists and ends sessions under any spelling, and ends none of another account", async () => {
  const spellings = spellingsOf("sam@example.test").slice(0, 5);
  const idsOf = async (name: string): Promise<readonly unknown[]> => {
    const { body } = await askAdmin(desk.stack, "GET", `${pathOf(name)}?browser=true`);
    return [body["browser_sessions"]].flat().map((one) => Object(one).id);
  };
  await using context = await browser.newContext({ locale: "en-US" });
  await openConsole(context, desk, "sam");
  const ids = await idsOf("sam@example.test");
  expect(ids).not.toEqual([]);
  for (const spelling of spellings) expect([spelling, await idsOf(spelling)]).toEqual([spelling, ids]);
  const ofAnother = `${pathOf(carol)}/${String(ids[0])}`;
  expect((await askAdmin(desk.stack, "DELETE", ofAnother)).status).toBe(403);
  expect(await idsOf("sam@example.test")).toEqual(ids);
  const [first, ...others] = ids;
  expect((await askAdmin(desk.stack, "DELETE", `${pathOf(spellings[2] ?? "")}/${String(first)}`)).status).toBe(204);
  expect(await idsOf("sam")).toEqual(others);
  expect((await askAdmin(desk.stack, "DELETE", pathOf(spellings[0] ?? ""))).status).toBe(204);
  expect(await idsOf("sam")).toEqual([]);
});

const allowed = (page: "audit" | "configuration") => consoleRoles.filter((role) => hasRight({ role }, page));

test("the audit page is a security role's, and the configuration an administrator's", () => {
  expect([allowed("audit"), allowed("configuration")]).toEqual([["security", "admin"], ["admin"]]);
});
