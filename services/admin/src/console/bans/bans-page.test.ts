import fc from "fast-check";
import { expect, test } from "vitest";
import { createShowPage } from "../console-document.ts";
import { sampleSeries } from "../overview/testing/sample-series.ts";
import { type BansView, bansPage } from "./bans-page.ts";

const show = createShowPage("https://console.example.test", "Example Mail", "/style.css");
const operator = {
  account: "helen@example.test",
  role: "helpdesk",
  isRoleCurrent: true,
  isProved: false,
  clientIp: "192.0.2.1",
  session: "s",
  csrfToken: "t",
  cookie: "c",
} as const;

function viewWith(text: string, more: Partial<BansView> = {}): BansView {
  return {
    series: sampleSeries("1h"),
    attacks: {
      minutes: [],
      networks: [{ network: text, failures: 3 }],
      accounts: [{ account: text, addresses: 7, delayed_until: text }],
    },
    bans: { bans: [{ network: text, rule: text, start: text, end: text }], total: 1, next: text },
    order: "desc",
    rule: text,
    done: undefined,
    operator,
    helpdesk: { resetsFactors: false },
    links: {
      search: () => "/console/search?for=handle",
      account: () => "/console/account?for=handle",
      network: () => "/console/network?for=handle",
      kept: (page) => `${page}&kept=handle`,
    },
    next: text,
    ...more,
  };
}

const bodyOf = (view: BansView): string => show(bansPage(view), operator).body;
const tags = (text: string): readonly string[] => [...text.matchAll(/<\/?([a-z][a-z0-9]*)/giu)].map(([tag]) => tag);

test("hostile networks, rules and accounts add no tag", () => {
  const plain = tags(bodyOf(viewWith("alice")));
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.constantFrom("<script>", '"><img src=x>', "</svg>", "' onfocus='x")),
      (text) => {
        expect(tags(bodyOf(viewWith(`alice${text}`)))).toEqual(plain);
      },
    ),
  );
});

test("the sign-ins of the last hour are a chart and a table", () => {
  const body = bodyOf(viewWith("alice"));
  expect(body).toContain("Sign-ins by outcome");
  expect(body).toContain('<th scope="col">Wrong password</th>');
});

test("the next page keeps order and rule", () => {
  const body = bodyOf(viewWith("imap", { order: "asc" }));
  expect(body).toContain('href="/console/bans?order=asc&amp;rule=imap&amp;cursor=imap"');
  expect(body).toContain('href="/console/bans?order=desc&amp;rule=imap"');
});

test("a repeated old password is shown apart from failures that count and from accounts under attack", () => {
  const attacks = {
    minutes: [],
    networks: [{ network: "192.0.2.0/24", failures: 1, repeated: 40, refused: 7 }],
    accounts: [
      { account: "alice@example.test", addresses: 1, wrong_passwords: 1 },
      { account: "bob@example.test", addresses: 9, wrong_passwords: 30 },
    ],
  };
  const body = bodyOf(viewWith("alice", { attacks }));
  expect(body).toContain("1 failure, 40 repetitions of an old password on a device, 7 refused by a ban");
  const [attacked = "", old = ""] = body.split("Accounts under attack")[1]?.split("Old password on a device") ?? [];
  expect([attacked.includes("bob"), attacked.includes("alice"), old.includes("alice")]).toEqual([true, false, true]);
});
