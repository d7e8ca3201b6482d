import { expect, test } from "vitest";
import type { AccountAnswer } from "./account-page.ts";
import { bodyOf, viewWith } from "./testing/account-view.ts";

test("an empty list of suspicious sign-ins says whether the account is still being learned", () => {
  const view = viewWith("alice");
  const { answer } = view;
  if (answer?.risk === undefined) throw new Error("the view has an answer");
  const risk = { ...answer.risk, sign_ins: [] };
  const shown = (change: Partial<typeof risk>, doubts?: AccountAnswer["explanation"]["doubts"]) =>
    bodyOf({
      ...view,
      answer: {
        ...answer,
        explanation: { ...answer.explanation, ...(doubts && { doubts }) },
        risk: { ...risk, ...change },
      },
    });
  const since = "2026-11-25T10:00:00.000Z";
  const learned = shown({ since, is_learned: true });
  expect(learned).toContain("<p>None was scored as suspicious.</p>");
  expect(shown({ since, is_learned: false })).toMatch(
    /<p>None was scored as suspicious. The account is still being learned, .*2026-11-25/u,
  );
  expect(shown({ is_learned: false })).toContain(
    "<p>None was scored as suspicious. Engines know nothing of its sign-ins yet",
  );
  expect(shown({ since, is_learned: false, mode: "off" })).toContain("<p>None was scored as suspicious.</p>");
  const first = { country: "NG", time: since, client_ip: "192.0.2.9", protocols: ["imap", "submission"] };
  expect(shown({ since, is_learned: false }, { suspicious: 0, new_country: first })).toMatch(
    /192\.0\.2\.9 signed in with the correct password, for the first time from Nigeria\. Sign-ins from there so far: imap, submission\.<\/p><p>None was/u,
  );
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
  expect(shown({})).toContain("<small>New country: Nigeria is new.</small>");
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
  expect(shown({ signals: ["moon_phase: full"] })).toContain(
    '<small>moon_phase: <span lang="en" dir="ltr">full</span>.</small>',
  );
});

test("without scoring, the page says so", () => {
  const view = viewWith("alice");
  const { answer } = view;
  if (answer?.risk === undefined) throw new Error("the view has an answer");
  const body = bodyOf({ ...view, answer: { ...answer, risk: { ...answer.risk, mode: "off", sign_ins: [] } } });
  expect(body).toContain("Sign-ins are not scored, because auth.risk.mode is off.");
});
