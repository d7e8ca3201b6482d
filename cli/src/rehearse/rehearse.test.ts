/* oxlint-disable unicorn/no-thenable -- the configuration has a key of this name; its value is not a function */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { gzipSync } from "node:zlib";
import { scratchFolder } from "@postern/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finalizers, steps } from "../../../services/auth-engine/src/pipeline.ts";
import { replayedFinalizers, replayedSteps } from "../../../services/auth-engine/src/rehearsal/replayed-rules.ts";
import { readSignIn } from "../../../services/auth-engine/src/rehearsal/sign-in.ts";
import { longestLine } from "../risk-replay/log-lines.ts";
import { wholeLines } from "./log-text.ts";
import { runRehearseCommand } from "./rehearse.ts";
import {
  begin,
  decided,
  nonce,
  protection,
  rehearse,
  reported,
  surroundings,
  wrong,
} from "./testing/rehearsed-logs.ts";

const counts = (reasons: readonly { readonly reason: string; readonly count: number }[]) =>
  Object.fromEntries(reasons.map(({ reason, count }) => [reason.split(":")[0], count]));

const names = (all: readonly { readonly name: string }[]): readonly string[] => all.map(({ name }) => name);

test("the steps that are replayed have the order of the engine", () => {
  const replayed = new Set(names([...replayedSteps, ...replayedFinalizers]));
  expect(names(steps).filter((name) => replayed.has(name))).toEqual(names(replayedSteps));
  expect(names(finalizers).filter((name) => replayed.has(name))).toEqual(names(replayedFinalizers));
});

test("a rule that would lock out 3 of 10,000 accounts is found with exactly these three", async () => {
  const victims = new Set([17, 4711, 9999]);
  const lines = Array.from({ length: 10_000 }, (_, account) => {
    const from = { username: `user${account}`, client_ip: `10.${Math.floor(account / 250)}.${account % 250}.9` };
    const at = account * 3;
    const guesses = [1, 2, 3].map((seen) => wrong(at + seen, seen, from));
    return [...(victims.has(account) ? guesses : guesses.slice(0, 2)), decided(at + 4, from)];
  }).flat();
  const sorted = lines.toSorted((left, right) => left.slice(23, 48).localeCompare(right.slice(23, 48)));
  const { exitCode, report, errors } = await reported(
    { lines: sorted, after: protection({ failed_requests: 3 }) },
    "--fail-over",
    "0.01%",
  );
  expect(report.now_refused).toEqual({ sign_ins: 3, accounts: 3, networks: 3 });
  expect(report.different).toEqual({ sign_ins: 3, accounts: 3, networks: 3 });
  const [group] = report.groups;
  expect(group.account_names.toSorted()).toEqual(["user17", "user4711", "user9999"]);
  expect([group.before, group.after]).toEqual(["admitted", "banned (rule net)"]);
  expect([exitCode, errors]).toEqual([0, []]);
  const over = await rehearse({ lines: sorted, after: protection({ failed_requests: 3 }) }, "--fail-over", "0.009%");
  expect(over.exitCode).toBe(1);
  expect(over.output.join("\n")).toContain("user4711");
});

describe("counters", () => {
  test("a repeated wrong password counts once, as the log says", async () => {
    const repeated = [1, 1, 1, 1, 1, 1, 1].map((seen, index) => wrong(index, seen));
    const distinct = [1, 2, 3, 4, 5].map((seen, index) => wrong(index, seen));
    const after = protection({ failed_requests: 5 });
    const before = protection({ failed_requests: 50 });
    const same = await reported({ lines: [...repeated, decided(60, {})], before, after });
    expect(same.report.different.sign_ins).toBe(0);
    const other = await reported({ lines: [...distinct, decided(60, {})], before, after });
    expect(other.report.now_refused.sign_ins).toBe(1);
  });

  test("a ban ends, and failures that are older than the period do not count", async () => {
    const lines = [1, 2, 3].map((seen) => wrong(seen, seen));
    const after = protection({ failed_requests: 3, ban_time: "10m" });
    const { report } = await reported({ lines: [...lines, decided(500, {}), decided(700, {})], after });
    expect(report.now_refused.sign_ins).toBe(1);
    const slow = [1, 2, 3].map((seen) => wrong(seen * 1300, seen));
    expect((await reported({ lines: [...slow, decided(4000, {})], after })).report.different.sign_ins).toBe(0);
  });

  test("a ban of the log that the new rules lift is a difference, and what the backend would answer is not guessed", async () => {
    const failures = [1, 2, 3, 4, 5].map((seen) => wrong(seen, seen));
    const lines = [...failures, decided(10, { outcome: "blocked", reason: "net" })];
    const { report } = await reported({ lines, after: protection({ failed_requests: 50 }) });
    expect(report.ban_lifted).toEqual({ sign_ins: 1, accounts: 1, networks: 1 });
    expect(report.now_admitted.sign_ins).toBe(0);
    expect(counts(report.not_judged)["refused before a backend was asked"]).toBe(1);
    expect(report.bans).toEqual([{ rule: "net", before: 1, after: 0 }]);
  });

  test("rules for protocols and networks, exemptions, and the mode apply", async () => {
    const lines = [...[1, 2, 3].map((seen) => wrong(seen, seen)), decided(10, {}), decided(11, { protocol: "smtp" })];
    const strict = { failed_requests: 3 };
    const found = async (after: object): Promise<number> =>
      (await reported({ lines, after })).report.now_refused.sign_ins;
    expect(await found(protection(strict))).toBe(2);
    expect(await found(protection({ ...strict, filter_by_protocol: ["imap"] }))).toBe(1);
    expect(await found(protection({ ...strict, filter_by_protocol: ["pop3"] }))).toBe(0);
    const [exempt, observed] = [protection(strict), protection(strict)];
    Object.assign(exempt.auth.controls.brute_force, { ip_allowlist: ["198.51.100.0/24"] });
    Object.assign(observed.auth.controls.brute_force, { mode: "observe" });
    expect(await found(exempt)).toBe(0);
    expect(await found(observed)).toBe(0);
  });

  test("a wrong password of which the log does not say whether it is a repetition is listed, not counted", async () => {
    const lines = Array.from({ length: 9 }, (_, second) =>
      decided(second, { outcome: "fail", reason: "wrong_password" }),
    );
    const { report } = await reported({
      lines: [...lines, decided(20, {})],
      after: protection({ failed_requests: 2 }),
    });
    expect(report.different.sign_ins).toBe(0);
    expect(counts(report.not_judged)["wrong passwords that the log does not call new or repeated"]).toBe(9);
  });
});

const denying = (condition: object) => ({
  auth: { policy: { mode: "enforce", policies: [{ name: "no", if: condition, then: { decision: "deny" } }] } },
});

const withSections = (mode: string, networks: readonly string[], burst: number) => ({
  auth: {
    risk: { mode },
    backchannel: { callers: [{ name: "dovecot", password: "a password of 16 characters", networks }] },
  },
  runtime: { servers: { http: { rate_limit: { burst } } } },
});

describe("controls and policies", () => {
  test("a control that requires TLS, and one for domains", async () => {
    const lines = [decided(1, { tls: false }), decided(2, {}), decided(3, { username: "bob@example.net" })];
    const controls = {
      enabled: ["tls_encryption", "relay_domains"],
      relay_domains: { static: ["example.org"] },
    };
    const { report } = await reported({ lines, before: {}, after: { auth: { controls } } });
    expect(report.groups.map(({ after }: { after: string }) => after).toSorted()).toEqual([
      "refused (unknown_relay_domain)",
      "temporary failure (TLS_REQUIRED)",
    ]);
  });

  test("a policy is named, and one about a fact that is not in the log cannot be judged", async () => {
    const lines = [decided(1, {}), decided(2, { protocol: "pop3" })];
    const pop = { attribute: "request.protocol", eq: "pop3" };
    const known = await reported({ lines, before: {}, after: denying(pop) });
    expect(known.report.groups).toMatchObject([{ before: "admitted", after: "refused (policy no)", sign_ins: 1 }]);
    const host = { all: [pop, { attribute: "request.client.host", eq: "mail.example.org" }] };
    const { report } = await reported({ lines, before: {}, after: denying(host) });
    expect(report.different.sign_ins).toBe(0);
    expect(report.not_judged).toContainEqual({
      reason: "a policy depends on request.client.host, which the log does not contain",
      count: 1,
    });
  });

  test("sections that differ and are not replayed are listed", async () => {
    const [before, after] = [withSections("off", [], 400), withSections("enforce", ["192.0.2.0/24"], 500)];
    const { report, errors } = await reported({ lines: [decided(1, {})], before, after });
    expect(errors).toEqual([]);
    expect(counts(report.not_judged)).toEqual({
      "auth.risk differs": 1,
      "auth.backchannel differs": 1,
      "runtime.servers.http.rate_limit differs": 1,
    });
  });
});

describe("reading", () => {
  test("broken lines are counted, whatever they contain, and never end the reading", async () => {
    const piece = fc.oneof(
      fc.constant(decided(1, {})),
      fc.string({ unit: "binary" }),
      fc.json(),
      fc.json().map((json) => `${json.slice(0, -1)},"msg":"decided"}`),
      fc.constant('{"msg":"decided"}'),
      fc.constant(decided(1, { time: "never" })),
      fc.constant(decided(1, { username: 7 })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
        const lines = [decided(0, {}), ...pieces];
        const whole = lines.join("\n").split("\n");
        const good = whole.filter((line) => readSignIn(line) !== undefined && line.endsWith('"msg":"decided"}')).length;
        const candidates = whole.filter((line) => line.endsWith('"msg":"decided"}')).length;
        const { report } = await reported({ lines, after: protection() });
        expect([report.sign_ins, report.unreadable]).toEqual([good, candidates - good]);
      }),
      { numRuns: 15 },
    );
  });

  test("lines are the same wherever the chunks end, and those that are too long are counted", async () => {
    const text = fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constant("x".repeat(longestLine + 1))), {
      minLength: 1,
    });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 70_000 }), async (pieces, size) => {
        const lines = pieces.map((line) => line.replaceAll("\n", " "));
        const bytes = Buffer.from(`${lines.join("\n")}\n`);
        let tooLong = 0;
        let found = "";
        const chunks = async function* () {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
        };
        for await (const whole of wholeLines(chunks(), () => (tooLong += 1))) found += whole;
        const short = lines.filter((line) => line.length <= longestLine);
        expect(found.split("\n").filter((line) => line.length <= longestLine)).toEqual([
          ...short.map((line) => Buffer.from(line).toString()),
          "",
        ]);
        expect(tooLong).toBeLessThanOrEqual(lines.length - short.length);
      }),
      { numRuns: 15 },
    );
  });

  test("a packed log, standard input, and only the last time", async () => {
    await using folder = await scratchFolder();
    const [log, config] = [join(folder.path, "gateway.log.gz"), join(folder.path, "new.yaml")];
    writeFileSync(config, JSON.stringify({ ...nonce, ...protection() }));
    const now = Date.now();
    const lines = [decided(0, {}), decided((now - begin) / 1000 - 60, {})].join("\n");
    writeFileSync(log, gzipSync(`${lines}\n`));
    const flags = ["--config", config, "--against", config, "--json"];
    const signIns = async (args: readonly string[], input?: PassThrough): Promise<number> => {
      const { output, errors } = await runRehearseCommand([...flags, ...args], surroundings(input));
      expect(errors).toEqual([]);
      return JSON.parse(output.join("\n")).sign_ins;
    };
    expect(await signIns(["--from", log])).toBe(2);
    expect(await signIns(["--from", log, "--since", "7d"])).toBe(1);
    const input = new PassThrough();
    input.end(lines);
    expect(await signIns(["--from", "-"], input)).toBe(2);
    writeFileSync(log, gzipSync(lines).subarray(0, 60));
    expect((await runRehearseCommand([...flags, "--from", log], surroundings())).exitCode).toBe(1);
  });

  test.each([
    [[], 2],
    [["--config", "x", "--since", "week"], 2],
    [["--config", "x", "--fail-over", "1"], 2],
    [["--config", "x", "--nonsense"], 2],
    [["--config", "/nonexistent", "--against", "/nonexistent"], 1],
    [["--help"], 0],
  ] as const)("%j ends with %i", async (args, exitCode) => {
    expect((await runRehearseCommand(args, surroundings())).exitCode).toBe(exitCode);
  });
});
