import type { RehearsalReport, RehearsalRun } from "@postern/shared/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Operator } from "../../operators/operator.ts";
import { createShowPage } from "../console-document.ts";
import { type RehearsalAnswer, rehearsalPage } from "./rehearsal-page.ts";
import { readReport } from "./rehearsal-routes.ts";

const show = createShowPage("https://console.example.test", "Example Mail", "/style.css");
const operator: Operator = {
  account: "ada@example.test",
  role: "admin",
  isRoleCurrent: true,
  isProved: false,
  clientIp: "192.0.2.10",
  session: "0b1f9e52-3c1d-4a34-9a4e-0d9f6f2f6c11",
  csrfToken: "token",
  cookie: "cookie",
};

const figures = { sign_ins: 3, accounts: 3, networks: 2 };
const nothing = { sign_ins: 0, accounts: 0, networks: 0 };

function reportWith(text: string): RehearsalReport {
  const time = "2030-05-06T13:52:10.000Z";
  return {
    complete: false,
    sign_ins: 10_000,
    from: time,
    until: time,
    different: figures,
    now_refused: figures,
    now_admitted: nothing,
    ban_lifted: nothing,
    refused_otherwise: nothing,
    share: 0.0003,
    bans: [{ rule: text, before: 0, after: 2 }],
    groups: [
      {
        before: text,
        after: text,
        change: "now_refused",
        ...figures,
        account_names: [text, "bob"],
        examples: [{ time, username: text, client_ip: text, protocol: text, session: text }],
      },
    ],
    has_more_groups: true,
    timeline: [
      { hour: "2030-05-06T13:00:00.000Z", sign_ins: 5000, different: 2, now_refused: 2 },
      { hour: "2030-06-06T13:00:00.000Z", sign_ins: 5000, different: 1, now_refused: 1 },
    ],
    not_judged: [{ reason: text, count: 7 }],
    unreadable: 4,
  };
}

const bodyOf = (answer: RehearsalAnswer): string =>
  show(rehearsalPage({ answer, run: { state: "none" }, operator }), operator).body;
const bodyOfRun = (run: RehearsalRun): string => show(rehearsalPage({ answer: "none", run, operator }), operator).body;
const tags = (text: string): readonly string[] => [...text.matchAll(/<\/?([a-z][a-z0-9]*)/giu)].map(([tag]) => tag);

test("texts of a report, which come from a log, add no tag", () => {
  const plain = tags(bodyOf(reportWith("postern")));
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom("<script>", '"><img src=x>', "</ul>")), (text) => {
      expect(tags(bodyOf(reportWith(`postern${text}`)))).toEqual(plain);
    }),
  );
});

test("totals, groups, differences over time, bans and what cannot be judged are shown", () => {
  const body = bodyOf(reportWith("postern"));
  for (const part of [
    "The reading was interrupted",
    "0.03 % change between admitted and not admitted",
    '<td data-column="Accounts">3</td>',
    "<li>bob</li><li>and 1 more</li>",
    "3 of 3 are admitted before and refused now.",
    '<td data-column="After">2</td>',
    '<span class="name">postern</span> <span>7</span>',
    '<span class="name">lines or records that could not be read</span> <span>4</span>',
  ])
    expect(body).toContain(part);
});

test("a rehearsal that runs shows how far it is and can be cancelled; one that was cancelled, failed or was refused says so", () => {
  const run: RehearsalRun = {
    state: "running",
    by: "ada",
    started: "2030-05-06T13:52:10.000Z",
    done: 0.25,
    sign_ins: 7,
  };
  const running = bodyOfRun({ ...run, remaining_seconds: 200 });
  for (const part of ['value="0.25"', "7 sign-ins", "About 3 min left.", "/console/rehearsal/cancel", "data-events"])
    expect(running).toContain(part);
  expect(running).not.toContain("/console/rehearsal/start");
  expect(bodyOfRun({ ...run, cancelled: true })).not.toContain("/console/rehearsal/cancel");
  const refused = bodyOfRun({ ...run, state: "refused", problems: ["auth.policy: <b>"] });
  expect(refused).toContain("<li>auth.policy: &lt;b&gt;</li>");
  for (const ended of [refused, bodyOfRun({ ...run, state: "lost" }), bodyOfRun({ ...run, state: "failed" })]) {
    expect(ended).toContain('role="alert"');
    expect(ended).toContain("/console/rehearsal/start");
    expect(ended).not.toContain("data-events");
  }
  expect(bodyOfRun({ ...run, state: "done", report: reportWith("postern") })).toContain("<li>bob</li>");
});

test("only what is a report is read, whatever is pasted", () => {
  const report = reportWith("postern");
  expect(readReport(JSON.stringify(report))).toEqual(report);
  expect(readReport(JSON.stringify({ ...report, later: 1 }))).not.toBe("invalid");
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      expect(readReport(text)).toBe("invalid");
    }),
  );
  const wrong = [
    { groups: undefined },
    { sign_ins: -1 },
    { from: "never" },
    { share: 2 },
    { timeline: Array.from({ length: 20_001 }, () => report.timeline[0]) },
    { groups: [{ ...report.groups[0], change: "other" }] },
  ];
  for (const fault of wrong) expect(readReport(JSON.stringify({ ...report, ...fault }))).toBe("invalid");
  const text = JSON.stringify(report, undefined, 2).replaceAll("\n", "\r\n");
  const spare = 524_288 - text.replaceAll("\r\n", "\n").length;
  expect(readReport(text + " ".repeat(spare))).toEqual(report);
  expect(readReport(`${text}${" ".repeat(spare + 1)}`)).toBe("invalid");
  expect(bodyOf("invalid")).toContain('role="alert"');
});
