import { describe, expect, it } from "vitest";
import type { Row, RowId } from "../measure/row.ts";
import type { Results } from "./results.ts";
import { targetsOf } from "./targets.ts";

function row(id: RowId, total: number, requestsPerSecond: number): Row {
  const cpuMicros = { gateway: total, engine: 0, nats: 0, slapd: 0, redis: 0, total };
  return { id, title: id, connections: 64, requestsPerSecond, p50Ms: 1, p99Ms: 2, cpuMicros, otherCores: 0 };
}

function results(rows: readonly Row[]): Results {
  return {
    machine: { cores: 2, model: "any", node: "v26" },
    rows,
    starts: [],
    memories: [],
    beside: [],
    endurance: [],
    management: [],
    consolePages: [],
  };
}

const about = (median: number) => ({ median, lowest: median / 2, highest: median * 2 });
const one = { median: 1, lowest: 1, highest: 1 };

function adding(id: RowId, to: RowId, micros: number): Row {
  return {
    ...row(id, 500, 1000),
    added: {
      to,
      micros: { median: micros, lowest: micros - 3, highest: micros + 4 },
      engineMicros: { median: micros / 2, lowest: micros / 2, highest: micros / 2 },
      times: one,
      rate: one,
      p50: one,
      p99: one,
    },
  };
}

function page(micros: number): Results {
  const total = { median: micros, lowest: 10_000, highest: 20_000 };
  return results([{ ...row("login-page", 1, 100), windows: { total, ours: total, engine: total, rate: total } }]);
}

function turns(windows: readonly Row[]) {
  return { turns: { of: "ldap-raw" as const, windows } };
}

function target(of: Results, title: string) {
  return targetsOf(of).find((one) => one.title.includes(title));
}

describe("targetsOf", () => {
  it("argon2id at eight tenths of the hash rate meets its target, below that it is a miss, which is near within a tenth", () => {
    const raw = row("hash-rate", 199, 1000);
    const of = (perSecond: number) => target(results([raw, row("sql", 300, perSecond)]), "raw hash rate");
    expect(of(800)).toMatchObject({ met: true });
    expect(of(800)?.isNear).toBeUndefined();
    expect(of(721)).toMatchObject({ met: false, isNear: true });
    expect(of(719)).toMatchObject({ met: false });
    expect(of(719)?.isNear).toBeUndefined();
  });

  it("a target that was not measured is neither met nor missed", () => {
    expect(target(results([]), "raw hash rate")).toMatchObject({ measured: "not measured", met: undefined });
  });

  it("an empty script may add fifty microseconds", () => {
    const title = "empty environment script";
    const [atLimit, more] = [50, 56].map((micros) => results([adding("scripted", "unscripted", micros)]));
    expect(atLimit && target(atLimit, title)).toMatchObject({ measured: "50 µs", range: "47 to 54", met: true });
    expect(more && target(more, title)?.met).toBe(false);
  });

  it("a feature adds more than five microseconds to a cached success only if every round shows it", () => {
    const cost = { feature: "decision history", redisBytes: one } as const;
    const [cached, failed] = (["cached success", "wrong password"] as const).map((kind) => ({
      ...results([]),
      features: [{ ...cost, kind, cpuMicros: about(12), redisCommands: about(0.5) }],
    }));
    expect(cached && target(cached, "decision history, cached success: CPU")?.met).toBe(false);
    expect(cached && target(cached, "decision history, cached success: Redis")?.met).toBe(false);
    expect(failed && target(failed, "decision history, wrong password: CPU")?.met).toBe(true);
    expect(failed && target(failed, "decision history, wrong password: Redis")?.met).toBe(true);
  });

  it("a sign-in page may cost fifteen milliseconds, by the median of its windows", () => {
    const range = "10.00 to 20.00";
    expect(target(page(15_000), "sign-in page")).toMatchObject({ measured: "15.00 ms", range, met: true });
    expect(target(page(16_600), "sign-in page")?.met).toBe(false);
  });

  it("rows of the same turns are compared round by round, though neither was the first", () => {
    const [a, b] = [100, 150].map((total) => row("lookup", total, 1000));
    const rows = [
      { ...row("ldap", 1, 1000), ...turns([a, b].flatMap((one) => one ?? [])) },
      { ...row("ldap-2-engines", 9, 1000), ...turns([b, b].flatMap((one) => one ?? [])) },
    ];
    expect(target(results(rows), "CPU per LDAP success")).toMatchObject({ measured: "1.25 ×", range: "1.00 to 1.50" });
  });

  it("rows measured alternately are compared round by round", () => {
    const compared = { times: about(1.05), rate: about(0.95), p50: one, p99: one };
    const added = { to: "lookup", micros: about(50), engineMicros: about(20), ...compared } as const;
    const rows = [row("lookup", 40, 1000), { ...row("lookup-2-engines", 100, 400), added }];
    const range = "0.53 to 2.10";
    expect(target(results(rows), "CPU per look-up")).toMatchObject({ measured: "1.05 ×", range, met: true });
  });

  it("a row is not compared with one that it was not measured with", () => {
    const rows = [row("lookup-open", 90, 1000), adding("lookup-basic", "lookup", 5)];
    expect(target(results(rows), "that Basic adds")).toMatchObject({ measured: "not measured", met: undefined });
  });

  it("memory that grows by more than a tenth after the fifth minute is a miss", () => {
    const mib = [80, 90, 90, 90, 100, 100, 122];
    const long = { ...results([]), endurance: [{ service: "gateway", mib }] };
    expect(target(long, "after 30 minutes / after five")?.met).toBe(false);
    expect(target(long, "gateway: memory at the end")).toMatchObject({ measured: "122 MiB" });
  });

  it("with a million bans a response to an operator takes at most fifty milliseconds", () => {
    const resultsWith = (p99Ms: number) => ({
      ...results([]),
      management: [{ title: "flush of a banned address", samples: 1000, p50Ms: 2, p99Ms }],
    });
    const title = "a million bans: flush of a banned address";
    expect(target(resultsWith(50), title)).toMatchObject({ target: "≤ 50.0 ms", measured: "50.0 ms", met: true });
    expect(target(resultsWith(55.1), title)?.met).toBe(false);
    expect(target(results([]), "a million bans")).toBeUndefined();
  });

  it("with a million bans a page of the console takes at most 20 ms of CPU", () => {
    const consolePages = [20, 22.1].map((cpuMs) => ({ title: `page of ${cpuMs} ms`, samples: 100, cpuMs }));
    const measured = { ...results([]), consolePages };
    expect(target(measured, "console, page of 20 ms")).toMatchObject({ target: "≤ 20.0 ms", met: true });
    expect(target(measured, "console, page of 22.1 ms")?.met).toBe(false);
  });

  it("a dialect may cost five percent more than JSON", () => {
    const json = row("lookup", 100, 1000);
    expect(target(results([json, row("lookup-cbor", 105, 1000)]), "lookup, cbor")?.met).toBe(true);
    expect(target(results([json, row("lookup-header", 116, 1000)]), "lookup, header")?.met).toBe(false);
  });

  it("the cost of caller authentication is in microseconds", () => {
    const open = row("lookup-open", 90, 1000);
    const rows = [open, adding("lookup-basic", "lookup-open", 12), adding("lookup-bearer-key", "lookup-open", 50)];
    expect(target(results(rows), "that Basic adds")).toMatchObject({ measured: "12 µs", range: "9 to 16", met: false });
    expect(target(results(rows), "Bearer adds, key")).toMatchObject({
      measured: "50 µs",
      range: "47 to 54",
      met: true,
    });
  });
});
