import type { SystemReport } from "@postern/shared/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createShowPage } from "../console-document.ts";
import { systemPage } from "./system-page.ts";

const show = createShowPage("https://console.example.test", "Example Mail", "/style.css");
const now = "2030-05-06T13:52:10.000Z";

function reportWith(text: string, more: Partial<SystemReport> = {}): SystemReport {
  const configuration = { digest: text, loaded: now, changed: [text], needs_restart: [text] };
  const instance = { instance: text, version: text, status: text, started: now, heard: now, failed_checks: [text] };
  return {
    time: now,
    state: "down",
    verdict: text,
    findings: [{ severity: text, subject: text, text }],
    services: [
      { service: "gateway", state: "up", instances: [{ ...instance, configuration }] },
      { service: "idp", state: "unknown", instances: [] },
    ],
    engines: { state: "down", heard: 0 },
    backends: [{ name: text, state: text, down_at: [text] }],
    redis: [{ role: "state", state: "up", latency_ms: 0.44, used_bytes: 1_048_576, max_bytes: 0 }],
    nats: { state: "up" },
    queues: [{ name: "flush", state: "up", waiting: 3, failed: 0 }],
    jobs: [],
    configuration: { ...configuration, is_uniform: false },
    expiries: [{ name: text, end: now, days: -1 }],
    scripts: [{ file: text, services: [text] }],
    ...more,
  };
}

const bodyOf = (report: SystemReport): string => show(systemPage(report)).body;
const tags = (text: string): readonly string[] => [...text.matchAll(/<\/?([a-z][a-z0-9]*)/giu)].map(([tag]) => tag);

test("texts of the report add no tag", () => {
  const plain = tags(bodyOf(reportWith("postern")));
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom("<script>", '"><img src=x>', "</ul>")), (text) => {
      expect(tags(bodyOf(reportWith(`postern${text}`)))).toEqual(plain);
    }),
  );
});

/** Texts of the cells of each row. */
const rowsOf = (body: string): readonly string[] =>
  [...body.matchAll(/<tr>(<td.*?)<\/tr>/gu)].map(([, row = ""]) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gu)].map(([, cell = ""]) => cell.replaceAll(/<[^>]+>/gu, "")).join("|"),
  );

test("each part is a row with its state, and a service that does not answer is unknown", () => {
  const body = bodyOf(reportWith("postern"));
  const rows = rowsOf(body);
  for (const row of [
    "idp||unknown|||",
    "Engines|down||0 heard",
    "Redis, role state|up|0.4 ms|1.0 MiB",
    "flush|up|3|||0",
  ])
    expect(rows).toContain(row);
  expect(body).toContain("Not all processes have it.");
});

test("parts without an entry are left out", () => {
  const body = bodyOf(reportWith("postern", { findings: [], scripts: [], state: "up" }));
  expect(body).not.toContain("<h2>Findings</h2>");
  expect(body).not.toContain("<h2>Scripts</h2>");
  expect(body).toContain('class="verdict working"');
});
