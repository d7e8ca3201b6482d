/* oxlint-disable unicorn/no-thenable -- the configuration has a key of this name; its value is not a function */

import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import { LookUps } from "../../../services/auth-engine/src/rehearsal/look-ups.ts";
import { fromHistory, fromLog, type RecordSource } from "../../../services/auth-engine/src/rehearsal/record-source.ts";
import { Rehearsal } from "../../../services/auth-engine/src/rehearsal/rehearsal.ts";
import { readSignIn, type SignIn } from "../../../services/auth-engine/src/rehearsal/sign-in.ts";
import { decided, nonce, reported } from "./testing/rehearsed-logs.ts";

const denying = (condition: object) => ({
  policy: { mode: "enforce", policies: [{ name: "no", if: condition, then: { decision: "deny" } }] },
});

const pipeline = { master_user: { enabled: true, user_format: "{user}*{master_user}", users: ["root"] } };

function configOf(auth: object) {
  const loaded = loadConfig({ text: JSON.stringify({ ...nonce, auth }), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

function signIn(fields: object): SignIn {
  const read = readSignIn(decided(0, fields));
  if (read === undefined) throw new Error("no sign-in");
  return read;
}

async function rehearsed(source: RecordSource, after: object, signIns: readonly SignIn[], lookUps?: LookUps) {
  const rehearsal = new Rehearsal(configOf({ pipeline }), configOf({ pipeline, ...after }), source, lookUps);
  for (const one of signIns) await rehearsal.add(one);
  return rehearsal;
}

test("a backend knows the account of every success, of no unknown user, and of nobody while it was not asked", async () => {
  const lines = [
    decided(1, { username: "ann" }),
    decided(2, { username: "bob", outcome: "fail", reason: "policy" }),
    decided(3, { username: "carol", outcome: "fail", reason: "unknown_user" }),
    decided(4, { username: "dave", outcome: "fail", reason: "wrong_password" }),
    decided(5, { username: "eve", outcome: "fail", reason: "empty_password" }),
  ];
  const found = async (is: boolean) => {
    const after = { auth: denying({ attribute: "auth.identity.found", is }) };
    const { report } = await reported({ lines, before: {}, after });
    return [report.now_refused.sign_ins, report.different.accounts];
  };
  // The policy that denied one of the two is in neither configuration.
  expect(await found(true)).toEqual([2, 2]);
  expect(await found(false)).toEqual([0, 0]);
});

test("whether a master user signed in is known from a log, and not from the history", async () => {
  const after = denying({ attribute: "auth.master_user.active", is: true });
  const opened = signIn({ username: "ann*root" });
  const log = await rehearsed(fromLog, after, [opened, signIn({ username: "ann" })]);
  expect(log.report(true).now_refused.sign_ins).toBe(1);
  const history = await rehearsed(fromHistory, after, [signIn({ username: "root" })]);
  const { different, not_judged: reasons } = history.report(true);
  expect([different.sign_ins, history.unknownShare]).toEqual([0, 1]);
  expect(reasons).toContainEqual({
    reason: "a policy depends on auth.master_user., which the history does not contain",
    count: 1,
  });
});

test("of a master user's sign-in, the account that was opened is looked up", async () => {
  const lookUps = new LookUps();
  const names: string[] = [];
  const { comparison } = await rehearsed(
    fromLog,
    {},
    [signIn({ username: "ann*root" }), signIn({ username: "bob" })],
    lookUps,
  );
  await lookUps.run(comparison, {
    lookUp: async ({ username }) => {
      names.push(username);
      return "known";
    },
    perSecond: 10_000,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  expect(names).toEqual(["ann", "bob"]);
  expect(comparison.totals().different.sign_ins).toBe(0);
});
