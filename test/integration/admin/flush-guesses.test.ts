import { poll } from "@postern/testing";
import { expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { startOperatorsStack } from "./operators-stack.ts";

test("after a flush by account, addresses that guess again are remembered again, even without a ban", async () => {
  await using stack = await startOperatorsStack(["admin"]);
  // Each engine notes an address once an hour. Too few guesses for a ban, and too many addresses for one engine.
  const addresses = Array.from({ length: 8 }, (_, index) => `192.0.${100 + index}.7`);
  const guessFromEach = (password: string) =>
    Promise.all(
      addresses.map((address) => askJson(stack.url, { ...alice, username: "alice", password, client_ip: address })),
    );
  const remembered = async (): Promise<readonly string[]> => {
    const body = { accounts: [alice.username] };
    const { text } = await askAdmin(stack, "POST", "/api/v1/bruteforce/list", { body });
    return addresses.filter((address) => text.includes(`"${address}"`));
  };
  const allAreRemembered = async (): Promise<boolean> => (await remembered()).length === addresses.length;
  await guessFromEach("again-1");
  await guessFromEach("again-2");
  await poll("the addresses to be remembered", allAreRemembered);
  await askAdmin(stack, "DELETE", "/api/v1/cache/flush", { body: { user: alice.username } });
  expect(await remembered()).toEqual([]);
  await guessFromEach("again-3");
  await poll("all of them to be remembered again", allAreRemembered);
});
