import { expect, test } from "vitest";
import { englishText } from "../../texts/write-texts.ts";
import { accountSignIns, networkSignIns, type ShownSignIns } from "./sign-ins-part.ts";
import { fullHistory, sampleChanges, sampleHistory, sampleNowMs } from "./testing/sample-history.ts";

/** As long as the handles of real links. */
const handle = "h".repeat(160);
const links = {
  search: () => `/s?for=${handle}`,
  account: () => `/a?for=${handle}`,
  network: () => `/n?for=${handle}`,
  kept: (page: string) => page,
};
const shown = (fields: Partial<ShownSignIns>): ShownSignIns => ({
  links,
  history: sampleHistory(),
  bans: [],
  nowMs: sampleNowMs,
  ...fields,
});

const textOf = (part: ReturnType<typeof networkSignIns>): string => englishText(part);

test("a mark leads to its item in the list, and the table has the same in numbers", () => {
  const body = textOf(accountSignIns(shown({}), sampleChanges));
  const targets = [...body.matchAll(/<a href="#([\w-]+)" tabindex="-1">/gu)].map(([, id]) => id);
  expect(targets.length).toBeGreaterThan(10);
  for (const id of targets) expect(body).toContain(`<li id="${id}"`);
  expect(body).toContain("<small>France, AS64503; ");
  expect(body).toContain("2 May: 16");
  expect(body).toContain("Second factor added (authenticator app) by the user");
  expect(body).toContain("Second factors unlocked by an operator");
});

test("the heaviest part is within the budget of a page, and has no inline style", () => {
  for (const part of [
    networkSignIns(shown({ history: fullHistory() })),
    accountSignIns(shown({ history: fullHistory() }), sampleChanges),
  ]) {
    const body = textOf(part);
    expect(Buffer.byteLength(body)).toBeLessThan(100_000);
    expect(body).not.toMatch(/ style=|NaN|undefined|Infinity/u);
    expect(body).toContain("The latest 60 of 500 records.");
    expect(body).toContain("Marks that are close together are drawn as one.");
  }
});

test("what is not recorded or not configured is said", () => {
  expect(textOf(networkSignIns(shown({ history: undefined })))).toContain("observability.decision_history is off");
  expect(textOf(networkSignIns(shown({ history: { records: [] } })))).toContain("None are recorded.");
  const withPlaces = (places: string): string =>
    textOf(networkSignIns(shown({ history: { ...sampleHistory(), places } })));
  expect(withPlaces("off")).toContain("auth.risk.city_file");
  expect(withPlaces("unavailable")).toContain("no engine answered");
  expect(withPlaces("known")).not.toContain("not shown, because");
});
