import type {
  AccountReport,
  DecisionRecord,
  Explanation,
  OidcSessionList,
  RiskExplanation,
} from "@postern/shared/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createShowPage } from "../console-document.ts";
import { type AccountView, accountPage } from "./account-page.ts";

const show = createShowPage("https://console.example.test", "Example Mail", "/style.css");

/** Every text that comes from a user, a backend, a browser or an operator. */
function viewWith(text: string, operator: Partial<AccountView["operator"]> = {}): AccountView {
  const report: AccountReport = {
    query: text,
    account: text,
    protocol: text,
    backends: [
      {
        name: text,
        outcome: text,
        code: text,
        account: text,
        account_field: text,
        attributes: { [text]: [text] },
        groups: [text],
        stores: [text],
      },
    ],
    factors: {
      totp: true,
      recovery_codes_left: 3,
      wrong_codes: { totp: 2, recovery: 1 },
      passkeys: [{ id: text, name: text, created: text, last_used: text }],
    },
    app_passwords: [{ id: text, label: text, protocols: [text], created: text, last_used: text }],
    notifications: [{ id: text, event: text, channel: text, outcome: text, time: text }],
    incomplete: [text],
  };
  const record: DecisionRecord = {
    time: text,
    first_time: text,
    count: 1,
    outcome: text,
    text,
    channel: text,
    protocol: text,
    client_ip: text,
    instance: text,
    session: text,
  };
  const explanation: Explanation = {
    query: text,
    kind: "account",
    state: text,
    verdict: text,
    bans: [],
    last_failures: [],
    guessing_addresses: [],
    other_accounts: [],
    incomplete: [],
  };
  const risk: RiskExplanation = {
    query: text,
    mode: text,
    is_learned: true,
    networks: [],
    countries: [],
    systems: [],
    protocols: [],
    clients: [],
    guessing_networks: 0,
    hold: { kind: text, until: text },
    sign_ins: [
      {
        time: text,
        session: text,
        level: text,
        score: 60,
        signals: [text],
        country: text,
        system: 1,
        protocol: text,
        client: text,
        refusal: text,
        refused: false,
        mode: text,
        responses: [text],
      },
    ],
    incomplete: [text],
  };
  const session = { id: text, auth_time: text, mfa_completed: true };
  const sessions: OidcSessionList = {
    sessions: [
      {
        ...session,
        client_id: text,
        user_id: text,
        username: text,
        display_name: text,
        redirect_uri: text,
        mfa_method: text,
        scopes: [text],
      },
    ],
    browser_sessions: [{ ...session, client_ip: text, user_agent: text, last_seen: text, client_ids: [text] }],
  };
  return {
    query: text,
    answer: { report, explanation, history: { records: [record] }, sessions, risk },
    done: undefined,
    nowMs: Date.parse("2030-05-06T14:00:00Z"),
    operator: {
      account: "ada@example.test",
      role: "admin",
      isRoleCurrent: true,
      isProved: true,
      clientIp: "192.0.2.1",
      session: "s",
      csrfToken: "t",
      cookie: "c",
      ...operator,
    },
    helpdesk: { resetsFactors: false },
    reach: "allowed",
    links: {
      search: () => "/console/search?for=handle",
      account: () => "/console/account?for=handle",
      network: () => "/console/network?for=handle",
    },
    next: "/console/account?for=handle",
  };
}

const bodyOf = (view: AccountView): string => show(accountPage(view), view.operator).body;
const tags = (text: string): readonly string[] => [...text.matchAll(/<\/?([a-z][a-z0-9]*)/giu)].map(([tag]) => tag);
const actionsIn = (body: string): readonly string[] => [
  ...new Set([...body.matchAll(/\/console\/actions\/([a-z-]+)/gu)].map(([, action = ""]) => action)),
];

test("hostile labels, names, browsers and attributes add no tag and end no attribute", () => {
  const plain = tags(bodyOf(viewWith("alice")));
  const hostile = fc.oneof(
    fc.string(),
    fc.constantFrom("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' autofocus onfocus='x", "</dl>"),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      expect(tags(bodyOf(viewWith(`alice${text}`)))).toEqual(plain);
    }),
  );
  expect(bodyOf(viewWith('a" onclick="x'))).not.toContain('" onclick="x');
});

test.each(["own", "higher", "unread", "unknown", "undecided"] as const)(
  "an account that is %s has no buttons, and the page says why",
  (reach) => {
    const body = bodyOf({ ...viewWith("alice"), reach });
    expect([actionsIn(body), /<p class="note">[A-Z]/u.test(body)]).toEqual([[], true]);
  },
);

test("a role sees which actions it lacks, and which role has them", () => {
  const lacking = "Your role, helpdesk, does not permit these actions: End sessions, ";
  expect(bodyOf(viewWith("alice", { role: "helpdesk" }))).toContain(lacking);
  expect(bodyOf(viewWith("alice", { role: "helpdesk" }))).toContain("They need the role security.");
  expect(bodyOf(viewWith("alice", { role: "security" }))).not.toContain("does not permit");
});

test("that no notifications are sent is a setting, and nothing that is incomplete", () => {
  const view = viewWith("alice");
  const { answer } = view;
  if (answer === undefined) throw new Error("the sample has no answer");
  const report = { ...answer.report, notifications: [], sends_notifications: false, incomplete: [] };
  const body = bodyOf({ ...view, answer: { ...answer, report, risk: undefined } });
  expect(body).toContain("identity.notices.enabled is off");
  expect(body).not.toContain("None was sent");
});

test("each cause has its remedy in words, and as one marked button", () => {
  const view = viewWith("alice");
  const { answer } = view;
  if (answer === undefined) throw new Error("the sample has no answer");
  const cause = { kind: "delay", text: "Delayed.", remedy: "To end it: postern flush alice", action: "flush" };
  const causes = [
    { ...cause, target: "alice" },
    { ...cause, kind: "hold", text: "Held.", target: "alice" },
  ];
  const body = bodyOf({ ...view, answer: { ...answer, explanation: { ...answer.explanation, causes } } });
  expect(body.match(/postern flush alice/gu)).toHaveLength(2);
  expect(body.match(/\/console\/actions\/flush"/gu)).toHaveLength(1);
  expect(body).toMatch(/<ul class="acts marked"><li><details><summary>Flush/u);
});

test("each role sees the actions that it may do", () => {
  const every = [
    "flush",
    "unlock",
    "end-sessions",
    "suspend",
    "reset-totp",
    "reset-recovery",
    "remove-passkey",
    "remove-app-password",
    "end-session",
  ];
  const ofAdmins = every.toSpliced(4, 0, "invite");
  expect(actionsIn(bodyOf(viewWith("alice")))).toEqual(ofAdmins);
  expect(actionsIn(bodyOf(viewWith("alice", { role: "security" })))).toEqual(every);
  expect(actionsIn(bodyOf(viewWith("alice", { role: "helpdesk" })))).toEqual(["flush", "unlock"]);
  const resets = { ...viewWith("alice", { role: "helpdesk" }), helpdesk: { resetsFactors: true } };
  expect(actionsIn(bodyOf(resets))).toEqual(
    every.filter((action) => action !== "suspend" && !action.startsWith("end-")),
  );
});

test("without a recent sign-in, what needs one shows how to sign in again instead of a form", () => {
  const body = bodyOf(viewWith("alice", { isProved: false }));
  expect(actionsIn(body)).toEqual(["flush", "unlock"]);
  expect(body).toContain("/console/sign-in?proof=1&amp;next=%2Fconsole%2Faccount%3Ffor%3Dhandle");
});

test("data that could not be read is not shown as empty", () => {
  const view = viewWith("alice");
  const { answer } = view;
  if (answer === undefined) throw new Error("the view has an answer");
  const { factors, ...report } = answer.report;
  const body = bodyOf({ ...view, answer: { ...answer, report, sessions: undefined, risk: undefined } });
  expect(factors).toBeDefined();
  expect(body).toContain("Incomplete: sessions could not be read.");
  expect(body).toContain("Incomplete: suspicious sign-ins could not be read.");
  expect(body).not.toContain("Suspicious sign-ins</h2>");
  expect(body).toContain('<h2>Second factors</h2></summary><div class="inside"><p class="lead">Unknown.</p>');
  expect(body).not.toContain("Browser sessions");
});

test("an empty list of suspicious sign-ins says whether the account is still being learned", () => {
  const view = viewWith("alice");
  const { answer } = view;
  if (answer?.risk === undefined) throw new Error("the view has an answer");
  const risk = { ...answer.risk, sign_ins: [] };
  const shown = (change: Partial<typeof risk>) =>
    bodyOf({ ...view, answer: { ...answer, risk: { ...risk, ...change } } });
  const since = "2026-11-25T10:00:00.000Z";
  const learned = shown({ since, is_learned: true });
  expect(learned).toContain("<p>None.</p>");
  expect(shown({ since, is_learned: false })).toMatch(/<p>None. The account is still being learned, .*2026-11-25/u);
  expect(shown({ is_learned: false })).toContain("<p>None. Nothing is known of its sign-ins yet");
  expect(shown({ since, is_learned: false, mode: "off" })).toContain("<p>None.</p>");
});

test("a suspicious sign-in says what was done about it, and what enforce would have done", () => {
  const view = viewWith("alice");
  const { answer } = view;
  if (answer?.risk === undefined) throw new Error("the view has an answer");
  const { risk } = answer;
  const [usual] = risk.sign_ins;
  if (usual === undefined) throw new Error("there is a sign-in");
  const shown = (one: Partial<typeof usual>): string => {
    const known = {
      country: "NG",
      system: 29_465,
      signals: ["new_country: NG is new"],
      refusal: "",
      responses: ["notify"],
    };
    const signIns = [{ ...usual, ...known, mode: "enforce", ...one }];
    return bodyOf({ ...view, answer: { ...answer, risk: { ...risk, sign_ins: signIns } } });
  };
  expect(shown({})).toContain("score 60: from Nigeria, AS29465 with alice, alice");
  expect(shown({})).toContain("<small>New country: NG is new.</small>");
  expect(shown({})).toContain("<small>Allowed. Responses to this level: notify the user.</small>");
  expect(shown({ mode: "observe" })).toContain(
    "<small>Allowed, as it would be with enforce. Responses to this level: notify the user.</small>",
  );
  expect(shown({ mode: "observe", refusal: "deny" })).toContain(
    "<small>Allowed. With enforce, it would have been refused: such sign-ins are denied.</small>",
  );
  expect(shown({ refused: true, refusal: "hold_mail" })).toContain(
    "<small>Refused: mail programs in new networks are refused for a time.</small>",
  );
  // Recorded by an earlier version.
  const { mode: _mode, responses: _responses, ...earlier } = usual;
  const old = { ...risk, sign_ins: [{ ...earlier, refusal: "" }] };
  expect(bodyOf({ ...view, answer: { ...answer, risk: old } })).toContain("<small>Allowed.</small>");
  // A signal of a later version.
  expect(shown({ signals: ["moon_phase: full"] })).toContain("<small>moon_phase: full.</small>");
});

test("without scoring, the page says so", () => {
  const view = viewWith("alice");
  const { answer } = view;
  if (answer?.risk === undefined) throw new Error("the view has an answer");
  const body = bodyOf({ ...view, answer: { ...answer, risk: { ...answer.risk, mode: "off", sign_ins: [] } } });
  expect(body).toContain("Sign-ins are not scored, because auth.risk.mode is off.");
});
