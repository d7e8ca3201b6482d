import type { AuditRecordPage, RiskExplanation } from "@postern/shared/contracts";
import { printable, table } from "../table.ts";
import { readAuditPage, readRiskExplanation } from "./answers.ts";
import { UsageError } from "./connection.ts";
import type { OperatorCommand, Shown } from "./operator-command.ts";
import { recordLimit } from "./record-limit.ts";

const usage = "risk explain ACCOUNT|REFERENCE | risk list [--domain DOMAIN] [--limit N]";

function placeOf({ country, system }: { readonly country: string; readonly system: number }): string {
  return [country || "-", ...(system === 0 ? [] : [`AS${system}`])].join(" ");
}

function signInLines({ sign_ins: found }: RiskExplanation): readonly string[] {
  if (found.length === 0) return ["no suspicious sign-in waits for the user"];
  return found.flatMap((one, index) => [
    ...(index === 0 ? [] : [""]),
    printable(`${one.time} ${one.level} ${one.score}, ${one.protocol} from ${placeOf(one)}, reference ${one.session}`),
    ...one.signals.map((signal) => printable(`  ${signal}`)),
    ...(one.responses === undefined || one.responses.length === 0
      ? []
      : [printable(`  responses${one.mode === "enforce" ? "" : " with enforce"}: ${one.responses.join(" ")}`)]),
    `  ${one.refused ? `refused by ${one.refusal}` : one.refusal === "" ? "not refused" : `enforce would refuse it by ${one.refusal}`}`,
  ]);
}

const listed = (title: string, values: readonly string[]): readonly string[] =>
  values.length === 0 ? [] : [printable(`${title}: ${values.join(" ")}`)];

function explained(answer: RiskExplanation): Shown {
  const { account, query, mode, since, networks, hold } = answer;
  const known = since === undefined ? "nothing is known of its sign-ins" : `its sign-ins are known since ${since}`;
  const learning =
    since === undefined || answer.is_learned ? "" : "; the account is still learned, and nothing is new to it";
  const rows = networks.map((one) => [placeOf(one), one.state, one.first, one.last]);
  return {
    exitCode: answer.sign_ins.length > 0 || hold !== undefined ? 1 : 0,
    json: answer,
    lines: [
      printable(`${account ?? query}: ${known}${learning} (mode ${mode})`),
      ...(hold === undefined ? [] : [`new sources are refused (${hold.kind}) until ${hold.until}`]),
      ...(answer.guessing_networks === 0 ? [] : [`about ${answer.guessing_networks} networks sent wrong passwords`]),
      ...answer.incomplete.map((reason) => printable(`incomplete: ${reason}`)),
      "",
      ...signInLines(answer),
      ...(rows.length === 0 ? [] : ["", ...table(["NETWORK IN", "STATE", "FIRST", "LAST"], rows)]),
      "",
      ...listed("countries", answer.countries),
      ...listed("autonomous systems", answer.systems),
      ...listed("protocols", answer.protocols),
      ...listed("clients", answer.clients),
    ],
  };
}

function listedSignIns(page: AuditRecordPage): Shown {
  if (page.records.length === 0) return { lines: ["no suspicious sign-in is recorded"], json: page };
  const rows = page.records.map((one) => [
    one.time,
    printable(one.account ?? one.target ?? "-"),
    one.protocol ?? "-",
    one.client_ip ?? "-",
    printable(one.reason ?? "-"),
  ]);
  const more = page.next === undefined ? [] : ["", "there are more records: use a larger --limit"];
  return { lines: [...table(["TIME", "ACCOUNT", "BY", "FROM", "WHY"], rows), ...more], json: page };
}

export const riskCommand: OperatorCommand = {
  usage,
  summary: "explain why sign-ins of an account were suspicious, or list suspicious sign-ins of all accounts",
  help: [
    "explain: what is known of the account, its suspicious sign-ins with the signals that made the score, and what enforce",
    "does about them. The exit code is 1 if there are any, or a hold. A REFERENCE is found if observability.decision_history",
    "is enabled. Asking is audited.",
    "list: the latest suspicious sign-ins from the audit history, if observability.audit_history is enabled. --domain DOMAIN",
    "lists those of one domain. --limit N is 50 by default, at most 500.",
  ],
  operands: { min: 1, max: 2 },
  actions: ["explain", "list"],
  options: ["limit", "domain"],
  run: async ({ api, operands: [action, subject], flags }) => {
    if (action === "list" && subject === undefined) {
      const { domain } = flags;
      const query = {
        event: "risk.sign_in",
        limit: String(recordLimit(flags.limit)),
        ...(domain !== undefined && { domain }),
      };
      return listedSignIns(readAuditPage(await api.ask("listAuditRecords", { query })));
    }
    if (action !== "explain" || subject === undefined) throw new UsageError(`usage: postern ${usage}`);
    return explained(readRiskExplanation(await api.ask("explainRisk", { query: { query: subject } })));
  },
};
