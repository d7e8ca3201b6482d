import type { LuaValue } from "@postern/shared/domain/scripts";
import { Secret } from "@postern/shared/platform/crypto";
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
  return createLuaBackend({ settings, runner, passwords: { spend: unasked }, decoys: { choose: unasked } });
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
