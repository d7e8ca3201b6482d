import { expect, test } from "vitest";
import { signalsOf } from "./ceremonies.ts";

const stored = (id: string): string => JSON.stringify({ id, publicKey: "AQID" });
const alice = {
  account: "alice",
  displayName: "Alice Example",
  credentials: [stored("+/8="), stored("_w")],
  removedHandles: [],
};

test("a password manager gets the account's passkeys, in base64url", () => {
  expect(signalsOf("id.example.test", { ...alice, wasRemoved: true })).toEqual({
    rpId: "id.example.test",
    userIds: ["YWxpY2U"],
    name: "alice",
    displayName: "Alice Example",
    allAcceptedCredentialIds: ["-_8", "_w"],
    wasRemoved: true,
  });
});

test("the list is withheld if it is empty without a removal, and if a stored credential cannot be read", () => {
  const unread = { ...alice, credentials: [stored("_w"), "not JSON"], wasRemoved: true };
  const listed = (credentials: readonly string[], wasRemoved: boolean) =>
    signalsOf("id.example.test", { ...alice, credentials, wasRemoved, removedHandles: ["YWxpY2U"] })
      ?.allAcceptedCredentialIds;
  expect(listed(alice.credentials, false)).toEqual(["-_8", "_w"]);
  expect(listed([], true)).toEqual([]);
  expect(listed([], false)).toBeUndefined();
  expect(signalsOf("id.example.test", unread)?.allAcceptedCredentialIds).toBeUndefined();
});

const idsOf = (credentials: readonly string[], removedHandles: readonly string[] = [], account = "alice") =>
  signalsOf("id.example.test", { ...alice, account, credentials, wasRemoved: true, removedHandles })?.userIds;

test("the handles are those of the passkeys, and of removed ones; passkeys stored without one have the account's name", () => {
  const handled = JSON.stringify({ id: "AQ", publicKey: "AQID", userHandle: "cmFuZG9t" });
  expect(idsOf([handled])).toEqual(["cmFuZG9t"]);
  expect(idsOf([stored("_w"), handled])).toEqual(["YWxpY2U", "cmFuZG9t"]);
  expect(idsOf([], ["cmFuZG9t"])).toEqual(["cmFuZG9t"]);
  expect(idsOf([])).toBeUndefined();
  expect(idsOf([stored("_w")], [], "é".repeat(33))).toBeUndefined();
});

test("an account without a display name is called by its name", () => {
  expect(signalsOf("id.example.test", { ...alice, displayName: undefined, wasRemoved: true })?.displayName).toBe(
    "alice",
  );
});
