import type { Explanation, NetworkReport } from "@postern/shared/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { englishText } from "../../texts/write-texts.ts";
import { createShowPage } from "../console-document.ts";
import { fullHistory, sampleNowMs, sampleRecord } from "../sign-ins/testing/sample-history.ts";
import { durationText, type NetworkView, networkPage } from "./network-page.ts";

const show = createShowPage("https://console.example.test", "Example Mail", "/style.css");
const handle = "h".repeat(160);

const explanation: Explanation = {
  query: "203.0.113.0/24",
  kind: "network",
  state: "working",
  verdict: "Not blocked now.",
  bans: [],
  last_failures: [],
  guessing_addresses: [],
  other_accounts: [],
  incomplete: [],
};
const report: NetworkReport = {
  network: "203.0.113.0/24",
  place: { country: "DE", system: 64_500, owner: "Example Cable" },
  rules: [
    { rule: "imap", network: "203.0.113.0/24", failures: 14, limit: 10, period_seconds: 600, protocols: ["imap"] },
  ],
  bans: [{ network: "203.0.113.9", rule: "imap", start: "2030-05-06T13:50:00.000Z", end: "2030-05-06T14:40:00.000Z" }],
  distinct_passwords: 3,
  incomplete: [],
};

const viewOf = (fields: Partial<NetworkView> = {}): NetworkView => ({
  report,
  explanation,
  history: { records: [sampleRecord(2), sampleRecord(1, { account: "bob@example.test" })], places: "known" },
  filter: { domain: "", isValid: true, handle },
  done: undefined,
  nowMs: sampleNowMs,
  operator: {
    account: "ada@example.test",
    role: "helpdesk",
    isRoleCurrent: true,
    isProved: false,
    clientIp: "192.0.2.1",
    session: "s",
    csrfToken: "t",
    cookie: "c",
  },
  helpdesk: { resetsFactors: false },
  links: {
    search: () => `/s?for=${handle}`,
    account: () => `/a?for=${handle}`,
    network: () => `/n?for=${handle}`,
    kept: (page) => page,
  },
  next: `/n?for=${handle}`,
  ...fields,
});

const bodyOf = (view: NetworkView): string => show(networkPage(view), view.operator).body;

test("place, accounts, wrong passwords, the ban with what is left of it, and how near rules are to a ban", () => {
  const body = bodyOf(viewOf());
  expect(body).toContain("<dd>Germany, Example Cable (AS64500)</dd>");
  expect(body).toContain("<dt>Accounts seen</dt><dd>2</dd>");
  expect(body).toContain("<dd>about 3 different ones in a day</dd>");
  expect(body).toContain('<progress max="10" value="10"');
  expect(body).toContain("14 of 10");
  expect(body).toContain("Unban");
});

test("the heaviest page weighs less than 120 kB", () => {
  expect(Buffer.byteLength(bodyOf(viewOf({ history: fullHistory() })))).toBeLessThan(120_000);
});

test("without a history the page says so and shows no number of accounts", () => {
  const body = bodyOf(viewOf({ history: undefined, report: { ...report, bans: [], rules: [] } }));
  expect(body).toContain("observability.decision_history is off");
  expect(body).not.toContain("Accounts seen");
  expect(body).toContain("No rule counts the failures of this network.");
});

const tags = (body: string) => [...body.matchAll(/<\/?([a-z][a-z0-9]*)/giu)].map(([tag]) => tag);
const withText = (text: string) => {
  const place = { country: "DE", system: 1, owner: text };
  const record = sampleRecord(1, {
    account: text,
    client: text,
    protocol: text,
    client_ip: text,
    network: text,
    place,
  });
  const rules = report.rules.map((rule) => ({ ...rule, rule: text, network: text, protocols: [text] }));
  return bodyOf(viewOf({ report: { ...report, place, rules }, history: { records: [record] } }));
};

test("no text of a caller becomes markup", () => {
  const usual = tags(withText("plain"));
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
      expect(tags(withText(`<b>${text}`))).toEqual(usual);
    }),
    { numRuns: 50 },
  );
});

test("what is left is rounded up", () => {
  expect([1, 61, 7199, 7201, 172_801].map((seconds) => englishText(durationText(seconds)))).toEqual([
    "1 minute",
    "2 minutes",
    "120 minutes",
    "3 hours",
    "3 days",
  ]);
});
