import type { Explanation } from "@postern/shared/contracts";
import type { ConsolePage } from "../../services/admin/src/console/console-document.ts";
import { networkPage } from "../../services/admin/src/console/network/network-page.ts";
import type { SubjectLinks } from "../../services/admin/src/console/shown-values.ts";
import { sampleNowMs, sampleRecord } from "../../services/admin/src/console/sign-ins/testing/sample-history.ts";
import type { Operator } from "../../services/admin/src/operators/operator.ts";

interface NetworkSampleParts {
  readonly explanation: Explanation;
  readonly operator: Operator;
  readonly links: SubjectLinks;
}

const network = "203.0.113.0/24";

const wrong = { outcome: "denied", reason: "wrong_password", text: "the password was wrong" };
const place = { country: "DE", system: 64_500, owner: "Example Cable" };

/** An office whose customers are banned because of one of them. */
export function networkSample({ explanation, operator, links }: NetworkSampleParts): ConsolePage {
  const { bans } = explanation;
  const records = [
    sampleRecord(0.1, { ...wrong, client_ip: "203.0.113.44", account: "bob@example.test", count: 10 }),
    sampleRecord(0.2, { outcome: "blocked", text: "the network was banned by the rule imap", rule: "imap" }),
    sampleRecord(1, {
      count: 61,
      days: Array.from({ length: 20 }, (_, day) => ({ date: `2030-04-${30 - day}`, count: 2 + (day % 4) })),
    }),
    sampleRecord(40, { ...wrong, client_ip: "203.0.113.44", account: "bob@example.test" }),
    sampleRecord(300, { outcome: "ok", account: "carol@example.test", protocol: "submission" }),
  ];
  return networkPage({
    report: {
      network,
      place,
      bans,
      rules: [
        { rule: "imap", network, failures: 10, limit: 10, period_seconds: 600, protocols: ["imap", "imaps"] },
        { rule: "all", network, failures: 14, limit: 200, period_seconds: 86_400, protocols: [] },
      ],
      distinct_passwords: 3,
      incomplete: [],
    },
    explanation: { ...explanation, query: network, kind: "network", causes: explanation.causes?.slice(0, 1) ?? [] },
    history: { records, places: "known" },
    filter: { domain: "", isValid: true, handle: "h" },
    done: undefined,
    nowMs: sampleNowMs,
    operator,
    helpdesk: { resetsFactors: false },
    links,
    next: "/console/network",
  });
}
