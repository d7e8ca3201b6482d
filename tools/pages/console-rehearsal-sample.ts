import type { RehearsalReport } from "@postern/shared/contracts";
import type { ConsolePage } from "../../services/admin/src/console/console-document.ts";
import { rehearsalPage } from "../../services/admin/src/console/rehearsal/rehearsal-page.ts";
import type { Operator } from "../../services/admin/src/operators/operator.ts";

/** A policy that would lock out three accounts. */
export function rehearsalSample(operator: Operator): ConsolePage {
  return rehearsalPage({
    operator,
    answer: "none",
    run: {
      state: "done",
      by: "ada@example.test",
      started: "2030-05-06T13:56:00.000Z",
      since: "2030-04-29T13:56:00.000Z",
      done: 1,
      sign_ins: 10_003,
      report: reportSample(operator),
    },
  });
}

function reportSample(operator: Operator): RehearsalReport {
  return {
    complete: true,
    source: "history",
    sign_ins: 10_003,
    from: "2030-04-29T00:00:04.000Z",
    until: "2030-05-06T13:55:02.000Z",
    different: { sign_ins: 3, accounts: 3, networks: 3 },
    now_refused: { sign_ins: 3, accounts: 3, networks: 3 },
    now_admitted: { sign_ins: 0, accounts: 0, networks: 0 },
    ban_lifted: { sign_ins: 0, accounts: 0, networks: 0 },
    refused_otherwise: { sign_ins: 0, accounts: 0, networks: 0 },
    share: 0.0003,
    bans: [],
    groups: [
      {
        before: "admitted",
        after: "refused (policy office-only)",
        change: "now_refused",
        sign_ins: 3,
        accounts: 3,
        networks: 3,
        account_names: ["alice@example.test", "bob@example.test", "carol@example.test"],
        examples: ["alice", "bob", "carol"].map((name, index) => ({
          time: `2030-05-0${index + 3}T09:12:44.000Z`,
          username: `${name}@example.test`,
          client_ip: `203.0.113.${index + 7}`,
          protocol: "imap",
          session: operator.session,
        })),
      },
    ],
    has_more_groups: false,
    timeline: [
      { hour: "2030-04-29T00:00:00.000Z", sign_ins: 5000, different: 0, now_refused: 0 },
      ...[3, 4, 5].map((day) => ({
        hour: `2030-05-0${day}T09:00:00.000Z`,
        sign_ins: 900,
        different: 1,
        now_refused: 1,
      })),
      { hour: "2030-05-06T13:00:00.000Z", sign_ins: 2303, different: 0, now_refused: 0 },
    ],
    not_judged: [{ reason: "look-ups, which are no sign-ins", count: 12 }],
    unreadable: 0,
  };
}
