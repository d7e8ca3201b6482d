import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { scratchFolder } from "@postern/testing";
import { afterEach, expect, test, vi } from "vitest";
import { run } from "../run.ts";

afterEach(() => vi.unstubAllEnvs());

const protection = (limit: number) => ({
  storage: { redis: { password_nonce: "a nonce of the site" } },
  auth: {
    controls: {
      enabled: ["brute_force"],
      brute_force: {
        buckets: [{ name: "n", period: "10m", ban_time: "1h", cidr: 24, failed_requests: limit, ipv4: true }],
      },
    },
  },
});

const line = JSON.stringify({
  level: "info",
  time: "2026-11-20T00:00:00.000Z",
  session: "s",
  dialect: "json",
  operation: "authenticate",
  outcome: "ok",
  username: "alice",
  protocol: "imap",
  tls: true,
  latency_ms: 1,
  msg: "decided",
});

async function site() {
  const folder = await scratchFolder();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  };
  vi.stubEnv("SERVICE_CONFIG_FILE", file("own.yaml", JSON.stringify(protection(10))));
  const changed = file("changed.yaml", JSON.stringify(protection(3)));
  const log = file("gateway.log", `${line}\n`);
  const state = join(folder.path, "state");
  const postern = (...args: readonly string[]) => {
    const terminal = { input: new PassThrough(), output: new PassThrough() };
    return run(args, { environment: { XDG_STATE_HOME: state }, terminal, progress: () => undefined });
  };
  return {
    file,
    state: join(state, "postern/rehearsed"),
    check: (name = changed, ...flags: readonly string[]) =>
      postern("config", "check", "--no-files", "--config", name, ...flags),
    rehearse: (name = changed) => postern("rehearse", "--config", name, "--from", log),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("config check names the command for changed rules until this change was rehearsed, and never by its exit code", async () => {
  await using own = await site();
  const first = await own.check();
  expect(first.exitCode).toBe(0);
  expect(first.output.join("\n")).toMatch(/postern rehearse --config \S+changed\.yaml --since 7d --from LOG/u);
  const strict = await own.check(undefined, "--strict", "--json");
  expect(JSON.parse(strict.output.join("\n")).hints.length).toBe(1);
  expect((await own.rehearse()).exitCode).toBe(0);
  expect((await own.check()).output).toEqual(["the configuration is valid"]);
  expect((await own.check(undefined, "--strict")).exitCode).toBe(strict.exitCode);
  const other = own.file("other.yaml", JSON.stringify(protection(4)));
  expect((await own.check(other)).output.length).toBe(2);
  const moved = {
    ...protection(10),
    auth: { ...protection(10).auth, backends: { order: ["sql"], sql: { default: { file: "new" } } } },
  };
  const backends = await own.check(own.file("moved.yaml", JSON.stringify(moved)));
  expect(backends.output.at(-1)).toMatch(/postern rehearse --config \S+moved\.yaml --since 7d$/u);
  const renamed = own.file("renamed.yaml", JSON.stringify({ ...protection(10), runtime: { instance_name: "mail" } }));
  expect((await own.check(renamed)).output).toEqual(["the configuration is valid"]);
});

test("only digests are kept, of the last hundred changes, for this user alone", async () => {
  await using own = await site();
  const old = Array.from({ length: 150 }, (_, index) => String(index).padStart(64, "0"));
  mkdirSync(join(own.state, ".."), { recursive: true });
  writeFileSync(own.state, `${old.join("\n")}\nnot a digest\n`);
  chmodSync(own.state, 0o644);
  await own.rehearse();
  const kept = readFileSync(own.state, "utf8").trimEnd().split("\n");
  expect(kept.slice(0, -1)).toEqual(old.slice(-99));
  expect(kept.at(-1)).toMatch(/^[0-9a-f]{64}$/u);
  expect(statSync(own.state).mode & 0o777).toBe(0o600);
});

test("a state that cannot be written ends nothing", async () => {
  await using own = await site();
  own.file("state", "a file in place of the folder");
  expect((await own.rehearse()).exitCode).toBe(0);
  expect((await own.check()).output.length).toBe(2);
});
