import type { LuaValue, ScriptCall } from "@postern/shared/domain/scripts";
import { Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import { createLuaBackend } from "./lua-backend.ts";

function unasked(): never {
  throw new Error("the backend must not use a decoy here");
}

function backendThatAnswers(answer: LuaValue) {
  const settings = { name: "own", script: "own.lua", protocols: [], timeoutMs: 1000, keepsMfa: false };
  const runner = {
    run: async () => answer,
    inFlight: () => 0,
    swap: () => undefined,
    close: async () => undefined,
  };
  return createLuaBackend(settings, runner, { spend: unasked }, { choose: unasked });
}

test.each([
  ["wrong_password", "alice", { kind: "wrong_password", account: "alice" }],
  ["account_disabled", "alice", { kind: "account_disabled", account: "alice" }],
  ["wrong_password", undefined, { kind: "wrong_password", account: undefined }],
  ["unknown_user", "alice", { kind: "unknown_user" }],
])(
  "a script returns %s for the account %s: the outcome names only an existing account",
  async (result, account, expected) => {
    const backend = backendThatAnswers({ result, account });
    const context = { deadline: Number.MAX_SAFE_INTEGER, signal: AbortSignal.timeout(60_000) };
    expect(await backend.verify({ username: "al", protocol: "imap" }, new Secret("p"), context)).toEqual(expected);
  },
);

const context = { deadline: Number.MAX_SAFE_INTEGER, signal: AbortSignal.timeout(60_000) };

test.each([
  ["alice", { result: "ok", account: "alice", supports: ["webauthn"] }, ["alice"]],
  ["without passkeys", { result: "ok", account: "without passkeys", supports: [] }, []],
  ["unknown", { result: "unknown_user" }, []],
] as const)("the search for the passkey of %s calls the same functions of the script", async (name, found, holders) => {
  const calls: string[] = [];
  const runner = {
    run: async ({ entry }: ScriptCall): Promise<LuaValue> => {
      calls.push(entry);
      if (entry === "mfa_find_webauthn") return undefined;
      if (entry === "mfa_account") return JSON.parse(JSON.stringify(found));
      if (found.result !== "ok") throw new AppError("SCRIPT_FAILED");
      return { webauthn_credentials: ['{"id":"AQID"}'] };
    },
    inFlight: () => 0,
    swap: () => undefined,
    close: async () => undefined,
  };
  const settings = { name: "own", script: "own.lua", protocols: [], timeoutMs: 1000, keepsMfa: true };
  const { mfa } = createLuaBackend(settings, runner, { spend: unasked }, { choose: unasked });
  const byName = await mfa?.findHolders({ id: "AQID", by: "name" }, { username: name }, context);
  expect(byName?.map(({ account }) => account)).toEqual(holders);
  // The script has no function for this.
  expect(await mfa?.findHolders({ id: "AQID", by: "start" }, { username: name }, context)).toEqual([]);
  expect(calls).toEqual(["mfa_account", "mfa_read", "mfa_find_webauthn"]);
});
