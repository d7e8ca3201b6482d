import { connect, type NatsConnection } from "@nats-io/transport-node";
import { maxWatches } from "@postern/shared/contracts";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { createBrowser } from "../../support/browser.ts";
import { type RunningCommand, runOperator, startOperator } from "../../support/run-operator.ts";
import { follow } from "../idp/authorization.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";

const guesser = "203.0.113.77";
const bob = { username: "bob@example.test", password: "bob-demo-password" };

let idp: IdpStack;
let nats: NatsConnection;
/** Events on the bus, by the fact that their subject names. */
const events = { seen: 0, alive: 0 };

const signIn = (fields: object = {}) => askJson(idp.stack.url, { ...alice, ...fields });
const together = (count: number, fields: (index: number) => object) =>
  Promise.all(Array.from({ length: count }, (_, index) => signIn(fields(index))));

beforeAll(async () => {
  const settings = {
    runtime: { servers: { http: { rate_limit: { per_second: 100_000, burst: 100_000 } } } },
    auth: { backends: { order: ["cache", "sql"] } },
  };
  idp = await startIdpStack(settings, {
    shape: "five",
    engines: 2,
    idps: 1,
    services: ["admin"],
    order: ["cache", "sql"],
  });
  nats = await connect({ servers: idp.stack.nats.url });
  const count = (subject: string, fact: keyof typeof events): void =>
    void nats.subscribe(subject, { callback: () => void (events[fact] += 1) });
  count("*.evt.decision.seen.v1", "seen");
  count("*.evt.engine.alive.v1", "alive");
  await nats.flush();
});

afterAll(async () => {
  await nats.close();
  await idp[Symbol.asyncDispose]();
});

/** A watch to which both engines report. */
async function startWatch(...args: readonly string[]): Promise<RunningCommand> {
  const watch = startOperator(idp.stack.url, ["watch", ...args]);
  await poll("both engines and the identity provider to report", () =>
    watch.messages.some((line) => line === "2 of 2 engines and 1 identity provider report"),
  );
  return watch;
}

const recordsIn = (watch: RunningCommand): readonly Readonly<Record<string, unknown>>[] =>
  watch
    .text()
    .split("\n")
    .slice(0, -1)
    .map((line) => Object(JSON.parse(line)));

/** Waits for heartbeats of this number, which arrive five times a second from each engine. */
async function heartbeats(count: number): Promise<void> {
  const until = events.alive + count;
  await poll("heartbeats", () => events.alive >= until);
}

test("decisions of both engines and the identity provider are shown, to each watch those that it asked for", async () => {
  const [all, ofAlice, refused, plain] = await Promise.all([
    startWatch("--json"),
    startWatch("--json", "--account", alice.username.toUpperCase()),
    startWatch("--json", "--network", "203.0.113.0/24", "--outcome", "denied,blocked"),
    startWatch("--outcome", "denied"),
  ]);
  await together(20, () => ({}));
  await signIn({ client_ip: guesser, password: "wrong" });
  await signIn({ username: "nobody@example.test", client_ip: guesser });
  const browser = createBrowser(idp.replicas, "192.0.2.7");
  const choice = await follow(browser, await browser.submit(await browser.open("/mfa/register/home"), bob));
  await browser.submit(await browser.open(choice.url.replace("/login/mfa", "/login/totp")), { code: "000000" });
  await poll("all decisions", () => recordsIn(all).length >= 24);

  const records = recordsIn(all);
  expect(records).toHaveLength(24);
  expect(new Set(records.map(({ instance }) => instance)).size).toBe(3);
  expect(records).toContainEqual(
    expect.objectContaining({ outcome: "denied", step: "totp", reason: "wrong_code", account: bob.username }),
  );
  await poll("those of alice", () => recordsIn(ofAlice).length >= 21);
  expect(new Set(recordsIn(ofAlice).map(({ account }) => account))).toEqual(new Set([alice.username]));
  await poll("those of the network", () => recordsIn(refused).length >= 2);
  // Each engine reports in batches of its own, so that the later decision may arrive first.
  const refusals = recordsIn(refused).map(({ reason, client_ip: from }) => `${String(reason)} ${String(from)}`);
  expect(refusals.toSorted()).toEqual([`unknown_user ${guesser}`, `wrong_password ${guesser}`]);
  await poll("the lines", () => plain.text().split("\n").length > 3);
  expect(plain.text()).toMatch(/^\S+Z {2}denied +203\.0\.113\.77 +imap +alice@example\.test {2}\S/mu);
  expect(plain.text()).toContain("nobody@example.test");
  for (const watch of [all, ofAlice, refused, plain]) expect((await watch.stop()).code).toBe(0);
});

test("what is too much to show is counted, and not one decision is lost from the count", async () => {
  const watch = await startWatch("--json", "--outcome", "ok");
  let decided = 0;
  const shown = () => recordsIn(watch).filter((record) => !("dropped" in record)).length;
  const dropped = () => recordsIn(watch).reduce((sum, { dropped: count = 0 }) => sum + Number(count), 0);
  await poll("a burst that is more than a batch", async () => {
    await together(400, () => ({}));
    decided += 400;
    await poll("its count", () => shown() + dropped() === decided);
    return dropped() > 0;
  });
  expect(shown()).toBeGreaterThan(0);
  const { err } = await watch.stop();
  expect(err).toContain(`${shown()} decisions shown, ${dropped()} not shown`);
  const metrics = await idp.stack.service("admin").metrics();
  const counted = /^service_admin_watched_decisions_total\{result="dropped"\} (\d+)$/mu.exec(metrics)?.[1];
  expect(Number(counted)).toBe(dropped());
});

test("engines publish nothing while nobody watches", async () => {
  await heartbeats(10);
  const before = events.seen;
  await together(20, () => ({}));
  // Two seconds and more: longer than any batch, or than a sign of life to a watcher.
  await heartbeats(24);
  expect(events.seen).toBe(before);
  const watch = await startWatch();
  expect(events.seen).toBeGreaterThan(before);
  await watch.stop();
});

test("the number of watches is bounded, a stream ends when it should, and it goes on after an end", async () => {
  const watches = await Promise.all(Array.from({ length: maxWatches }, () => startWatch()));
  expect(await runOperator(idp.stack.url, ["watch"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("503: too many watches are open"),
  });
  for (const watch of watches) await watch.stop();
  const timed = await poll("a free place", async () => {
    const { code, err } = await startOperator(idp.stack.url, ["watch", "--for", "1s"]).ended;
    return code === 0 && err;
  });
  expect(timed).toContain("decisions shown, 0 not shown");
});

test("the overview shows the real site once as text, with its numbers as JSON", async () => {
  const series = await poll("the sign-ins, which engines write every ten seconds", async () => {
    const { out } = await runOperator(idp.stack.url, ["top", "--json"]);
    const { series: found } = JSON.parse(out);
    return found.steps.some(({ cached }: { readonly cached: number }) => cached > 0) && found;
  });
  expect(series.range).toBe("1h");
  const { out, code } = await runOperator(idp.stack.url, ["top", "--once"]);
  expect(out).toMatch(/^ok, cached .* [1-9][\d,]*$/mu);
  expect(out).toMatch(/^wrong password .* [1-9][\d,]*$/mu);
  expect(out).toMatch(/auth-engine \S+ ×2 up/u);
  expect(out).toMatch(/backend sql\b.* up/u);
  // This site has no jobs-worker.
  expect([code, out]).toEqual([1, expect.stringMatching(/^Sign-in works, with 1 problem\.\n.*jobs-worker/u)]);
});

test("at a terminal, the overview is live, opens what is selected or typed, and leaves the terminal as it was", async () => {
  const top = startOperator(idp.stack.url, ["top"], { columns: 40, rows: 60 });
  await poll("the overview", () => top.text().includes("HEALTH"));
  const redrawn = top.text().length;
  await poll("the next one", () => top.text().length > redrawn);
  top.type("/alice@example.test\r");
  await poll("the verdict", () => /alice@example\.test[^…]*Last success|alice@example\.test.*sign/su.test(top.text()));
  top.type("q");
  top.type("q");
  expect(await top.ended).toMatchObject({ code: 0, err: "" });
  expect(top.text().startsWith("\u001b[?1049h")).toBe(true);
  expect(top.text().endsWith("\u001b[?1049l")).toBe(true);
});

test("wrong filters and missing rights are refused", async () => {
  for (const [query, says] of [
    ["network=here", "network: must be"],
    ["outcome=perhaps", "outcome: must be"],
    ["seconds=901", "seconds: must be"],
    ["account=", "account: must be"],
  ]) {
    const { status, text } = await askAdmin(idp.stack, "GET", `/api/v1/console/watch?${query}`);
    expect([status, text]).toEqual([400, expect.stringContaining(says ?? "")]);
  }
  const nobody = await askAdmin(idp.stack, "GET", "/api/v1/console/watch", {
    headers: { authorization: "Basic eDp5" },
  });
  expect(nobody.status).toBe(401);
  expect((await runOperator(idp.stack.url, ["watch", "--for", "soon"])).code).toBe(2);
});
