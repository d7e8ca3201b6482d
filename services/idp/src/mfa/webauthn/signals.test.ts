import { expect, test } from "vitest";
import { signalsOf } from "./signals.ts";

const stored = (id: string): string => JSON.stringify({ id, publicKey: "AQID" });
const alice = { account: "alice", displayName: "Alice Example", credentials: [stored("+/8="), stored("_w")] };

test("a password manager gets the account's passkeys, in base64url", () => {
  expect(signalsOf("id.example.test", { ...alice, wasRemoved: true })).toEqual({
    rpId: "id.example.test",
    userId: "YWxpY2U",
    name: "alice",
    displayName: "Alice Example",
    allAcceptedCredentialIds: ["-_8", "_w"],
    wasRemoved: true,
  });
});

test("the list is withheld if it is empty without a removal, and if a stored credential cannot be read", () => {
  const unread = { ...alice, credentials: [stored("_w"), "not JSON"], wasRemoved: true };
  const listed = (credentials: readonly string[], wasRemoved: boolean) =>
    signalsOf("id.example.test", { ...alice, credentials, wasRemoved })?.allAcceptedCredentialIds;
  expect(listed(alice.credentials, false)).toEqual(["-_8", "_w"]);
  expect(listed([], true)).toEqual([]);
  expect(listed([], false)).toBeUndefined();
  expect(signalsOf("id.example.test", unread)?.allAcceptedCredentialIds).toBeUndefined();
});

test("an account whose name is no user handle gets no signals; one without a display name is called by its name", () => {
  expect(signalsOf("id.example.test", { ...alice, account: "é".repeat(33), wasRemoved: true })).toBeUndefined();
  expect(signalsOf("id.example.test", { ...alice, displayName: undefined, wasRemoved: true })?.displayName).toBe(
    "alice",
  );
});
