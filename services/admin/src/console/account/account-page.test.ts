import fc from "fast-check";
import { expect, test } from "vitest";
import { bodyOf, viewWith } from "./testing/account-view.ts";

const tags = (text: string): readonly string[] => [...text.matchAll(/<\/?([a-z][a-z0-9]*)/giu)].map(([tag]) => tag);
const actionsIn = (body: string): readonly string[] => [
  ...new Set([...body.matchAll(/\/console\/actions\/([a-z-]+)/gu)].map(([, action = ""]) => action)),
];

test("hostile labels, names, browsers and attributes add no tag and end no attribute", () => {
  const plain = tags(bodyOf(viewWith("alice")));
  // What follows a colon and a space in a reason is a detail, which has an element of its own.
  const hostile = fc.oneof(
    fc.string().map((text) => text.replaceAll(/: +/gu, ":")),
    fc.constantFrom("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' autofocus onfocus='x", "</dl>"),
  );
  fc.assert(
    // The chart draws what has a time, and JavaScript reads "alice 32" as one.
    fc.property(
      hostile.filter((text) => Number.isNaN(Date.parse(`alice${text}`))),
      (text) => {
        expect(tags(bodyOf(viewWith(`alice${text}`)))).toEqual(plain);
      },
    ),
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

test("the first remedy stands beside the verdict while sign-ins fail, and in the list once they succeed again", () => {
  const view = viewWith("alice");
  const { answer } = view;
  if (answer === undefined) throw new Error("the sample has no answer");
  const causes = [{ kind: "ban", text: "Banned.", remedy: "Unban it.", action: "unban", target: "192.0.2.0/24" }];
  const shown = (state: string): string =>
    bodyOf({ ...view, answer: { ...answer, explanation: { ...answer.explanation, state, causes } } });
  const [beside, below] = [/<div class="beside"><ul class="acts marked">/u, /<ul class="causes">.*actions\/unban/u];
  expect([beside.test(shown("blocked")), below.test(shown("blocked"))]).toEqual([true, false]);
  expect([beside.test(shown("lifted")), below.test(shown("lifted"))]).toEqual([false, true]);
  expect(shown("blocked")).toMatch(/<div class="verdict blocked"><div role="status"><span class="badge bad">/u);
  expect(shown("lifted")).toMatch(/<div class="verdict lifted"><div role="status"><span class="badge good">/u);
});

test("the brake of a takeover stands beside the verdict for those who may use it", () => {
  const view = viewWith("alice");
  const { answer } = view;
  if (answer === undefined) throw new Error("the sample has no answer");
  const doubts = {
    suspicious: 0,
    new_country: { country: "NG", time: "2030-05-06T03:12:00.000Z", client_ip: "192.0.2.1" },
  };
  const explanation = { ...answer.explanation, account: "alice", state: "doubted", doubts };
  const shown = (role: "helpdesk" | "security", more: Partial<typeof explanation> = {}) =>
    bodyOf({ ...viewWith("alice", { role }), answer: { ...answer, explanation: { ...explanation, ...more } } });
  const beside =
    /<div class="beside"><ul class="acts marked"><li class="danger"><details><summary>Suspend the account/u;
  expect(shown("security")).toMatch(beside);
  expect(shown("security").match(/actions\/suspend"/gu)).toHaveLength(1);
  expect(shown("security")).toMatch(/<span class="badge warn">.*In doubt/u);
  expect(shown("helpdesk")).not.toContain("actions/suspend");
  const causes = [{ kind: "suspension", text: "Suspended." }];
  expect(shown("security", { causes })).not.toContain("actions/suspend");
});

test("whether a lost phone can be helped is said before anything is tried, with the button or the reason", () => {
  const view = viewWith("alice");
  const { answer } = view;
  if (answer === undefined) throw new Error("the sample has no answer");
  const shown = (judged: string, role: "helpdesk" | "security" = "security", resetsFactors = false) =>
    bodyOf({
      ...viewWith("alice", { role }),
      helpdesk: { resetsFactors, offersLostPhone: true },
      answer: { ...answer, report: { ...answer.report, lost_phone: judged } },
    });
  expect(shown("possible").match(/actions\/lost-phone"/gu)).toHaveLength(1);
  expect(shown("possible", "helpdesk")).toContain("Your role, helpdesk, cannot create one. The role security can.");
  expect(shown("possible", "helpdesk")).not.toContain("actions/lost-phone");
  expect(shown("possible", "helpdesk", true)).toContain("actions/lost-phone");
  for (const [judged, reason] of [
    ["operator", "No code: this is an operator."],
    ["suspended", "No code: the account is suspended."],
    ["doubted", "No code: a suspicious sign-in is unanswered"],
    ["disabled", "identity.mfa.lost_phone is off"],
  ] as const)
    expect([shown(judged).includes(reason), shown(judged).includes("actions/lost-phone")]).toEqual([true, false]);
});

test("actions that end something are marked, and say how much", () => {
  const body = bodyOf(viewWith("alice"));
  expect(body).toContain(
    "Programs with a password are not affected. Now: 1 browser session, 1 session at applications.",
  );
  expect(body).toContain("The other second factors remain. Now: 3 unused codes.");
  const dangerous = [...body.matchAll(/<li class="danger"><details><summary>([^<]+)/gu)].map(([, label]) => label);
  expect(dangerous).toEqual([
    "End sessions",
    "Suspend the account",
    "Remove the authenticator app",
    "Remove recovery codes",
    "Remove the passkey",
    "Remove the app password",
    "End",
    "End",
  ]);
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
