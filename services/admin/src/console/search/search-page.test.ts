import type { DecisionRecord, Explanation } from "@postern/shared/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createShowPage } from "../console-document.ts";
import { type SearchView, searchPage } from "./search-page.ts";

const show = createShowPage("https://console.example.test", "Example Mail", "/style.css");

/** Every text of the page that comes from a request, a backend or an operator. */
function viewWith(text: string): SearchView {
  const record: DecisionRecord = {
    time: "2030-05-06T13:52:10.000Z",
    first_time: "2030-05-06T13:50:10.000Z",
    count: 3,
    outcome: text,
    text,
    channel: text,
    step: text,
    protocol: text,
    client: text,
    client_ip: text,
    account: text,
    username: text,
    instance: text,
    session: text,
  };
  const ban = { network: text, rule: text, start: text, end: text };
  const explanation: Explanation = {
    query: text,
    kind: "account",
    state: text,
    verdict: text,
    causes: [{ kind: text, text, end: text, remedy: text, command: text, action: "unban", target: text }],
    account: text,
    bans: [ban],
    delay: { wrong_passwords: 3, until: text },
    last_failures: [record],
    guessing_addresses: [text],
    other_accounts: [text],
    incomplete: [text],
  };
  const operator = {
    account: text,
    role: "admin",
    isRoleCurrent: true,
    isProved: true,
    clientIp: text,
    session: text,
    csrfToken: text,
    cookie: text,
  } as const;
  const answer = { explanation, records: [record], bans: [{ ...ban, others: [text] }] };
  return {
    reach: "allowed",
    query: text,
    answer,
    done: undefined,
    operator,
    helpdesk: { resetsFactors: true },
    links,
    next: text,
  };
}

const links = {
  search: () => "/console/search?for=handle",
  account: () => "/console/account?for=handle",
  network: () => "/console/network?for=handle",
  kept: (page: string) => `${page}&kept=handle`,
};
const bodyOf = (view: SearchView): string => show(searchPage(view), view.operator).body;
const tags = (text: string): readonly string[] => [...text.matchAll(/<\/?([a-z][a-z0-9]*)/giu)].map(([tag]) => tag);

test("hostile names, addresses and reasons add no tag and end no attribute", () => {
  const plain = tags(bodyOf(viewWith("alice")));
  const hostile = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "<script>alert(1)</script>",
      '"><img src=x onerror=alert(1)>',
      "' autofocus onfocus='x",
      "</title>",
      "</dl>",
    ),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      expect(tags(bodyOf(viewWith(`alice${text}`)))).toEqual(plain);
    }),
  );
  expect(bodyOf(viewWith('a" onclick="x'))).not.toContain('" onclick="x');
});

test("a page says that it is not to be stored or framed, and runs the console's script only", () => {
  const view = viewWith("alice");
  const { headers } = show(searchPage(view), view.operator);
  expect(headers).toMatchObject({
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
  });
  expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  expect(headers["content-security-policy"]).toContain("default-src 'none'");
  expect(headers["content-security-policy"]).toContain("script-src 'self'; connect-src 'self'");
  expect(headers["content-security-policy"]).not.toContain("unsafe");
});
