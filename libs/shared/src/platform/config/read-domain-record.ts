import { parsedJson } from "../json/index.ts";
import { messages } from "./messages.ts";
import { createProblemList, formatProblem } from "./problem.ts";
import { readSection } from "./read/reader.ts";
import { checkRecord, DomainRecord } from "./sections/auth-domains.ts";
import type { DomainRecordConfig } from "./sections/root.ts";
import { createEnvironment } from "./sources/environment.ts";

/** Sections are JSON texts in databases and directories. */
function unpacked(raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(raw).map(([key, value]) => {
    const isPacked = typeof value === "string" && DomainRecord.children.get(key)?.kind === "section";
    const parsed = isPacked ? parsedJson(value) : undefined;
    return [key, parsed === undefined ? value : parsed] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * A record of `auth.domains` as a source returned it: values are texts, lists, or what JSON can hold.
 *
 * @param ofNewer whether keys that are not known may be those of a newer version, and are ignored
 * @throws Error with the first problem, which contains no value.
 */
export function readDomainRecord(
  raw: Readonly<Record<string, unknown>>,
  { ofNewer = false }: { readonly ofNewer?: boolean } = {},
): DomainRecordConfig {
  const problems = createProblemList();
  const record = readSection(DomainRecord, unpacked(raw), [], {
    environment: createEnvironment({}, problems.report),
    problem: problems.report,
    unknownKey: ([key = ""]) => {
      if (!ofNewer) problems.report(String(key), messages.unknownKey);
    },
    sources: new Map(),
    readSecretFile: () => undefined,
  });
  const fail = (): void => {
    const [first] = problems.sorted();
    if (first !== undefined) throw new Error(formatProblem(first));
  };
  fail();
  checkRecord(record, "", { problem: problems.report, warning: () => undefined });
  fail();
  return record;
}
