import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { scratchFolder } from "@postern/testing";
import { runRehearseCommand } from "../rehearse.ts";

export const begin = Date.UTC(2026, 10, 20);

export function decided(second: number, fields: object): string {
  const time = new Date(begin + second * 1000).toISOString();
  const session = "7d3f91ac-20b4-4c1e-9a39-0c7d1c1b8f5e";
  const usual = { dialect: "json", operation: "authenticate", outcome: "ok", username: "alice", protocol: "imap" };
  const line = { level: "info", time, session, ...usual, client_ip: "198.51.100.7", tls: true, ...fields };
  return JSON.stringify({ ...line, msg: "decided" });
}

export const wrong = (second: number, seen: number, fields: object = {}): string =>
  decided(second, {
    outcome: "fail",
    reason: "wrong_password",
    account_passwords_seen: seen,
    total_passwords_seen: seen,
    ...fields,
  });

export const rule = { name: "net", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 5, ipv4: true };

/** A configuration with one rule, of which some settings differ. */
export function protection(change: object = {}, more: object = {}) {
  const bruteForce = { buckets: [{ ...rule, ...change }], tolerate_ttl: 0, rwp_allowed_unique_hashes: 0 };
  return { auth: { controls: { enabled: ["brute_force"], brute_force: bruteForce }, ...more } };
}

export const surroundings = (input = new PassThrough()) => ({
  environment: {},
  terminal: { input, output: new PassThrough() },
  progress: () => undefined,
});

export const nonce = { storage: { redis: { password_nonce: "a nonce of the site" } } };

interface Given {
  readonly lines: readonly string[];
  readonly before?: object;
  readonly after: object;
}

export async function rehearse({ lines, before = protection(), after }: Given, ...flags: readonly string[]) {
  await using folder = await scratchFolder();
  const [log, old, next] = ["gateway.log", "old.yaml", "new.yaml"].map((name) => join(folder.path, name));
  if (log === undefined || old === undefined || next === undefined) throw new Error("no names");
  writeFileSync(log, `${lines.join("\n")}\n`);
  writeFileSync(old, JSON.stringify({ ...nonce, ...before }));
  writeFileSync(next, JSON.stringify({ ...nonce, ...after }));
  // Otherwise the folder would be removed while the log is read.
  return await runRehearseCommand(["--config", next, "--against", old, "--from", log, ...flags], surroundings());
}

export async function reported(situation: Given, ...flags: readonly string[]) {
  const { exitCode, output, errors } = await rehearse(situation, "--json", ...flags);
  return { exitCode, errors, report: JSON.parse(output.join("\n") || "{}") };
}
