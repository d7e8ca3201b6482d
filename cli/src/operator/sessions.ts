import { browserName } from "@postern/shared/domain/programs";
import { printable, table } from "../table.ts";
import { readSessions } from "./answers.ts";
import type { CommandContext, OperatorCommand, Shown } from "./operator-command.ts";

const browserHead = ["BROWSER SESSION", "FROM", "SINCE", "LAST SEEN", "SECOND FACTOR", "CLIENTS", "BROWSER"];
const head = ["SESSION", "CLIENT", "SINCE", "SECOND FACTOR", "SCOPES"];

async function list(user: string, { api }: CommandContext): Promise<Shown> {
  const answer = await api.ask("listOidcSessions", { path: { user_id: user }, query: { browser: "true" } });
  const { sessions, browser_sessions: browsers = [] } = readSessions(answer);
  const rows = sessions.map((session) => [
    session.id,
    session.client_id,
    session.auth_time,
    session.mfa_completed ? (session.mfa_method ?? "yes") : "no",
    session.scopes.join(" "),
  ]);
  const browserRows = browsers.map((session) => [
    session.id,
    session.client_ip,
    session.auth_time,
    session.last_seen,
    session.mfa_completed ? "yes" : "no",
    session.client_ids.join(" "),
    browserName(session.user_agent),
  ]);
  const lines = [
    ...(browserRows.length === 0 ? [] : table(browserHead, browserRows)),
    ...(browserRows.length > 0 && rows.length > 0 ? [""] : []),
    ...(rows.length === 0 ? [] : table(head, rows)),
  ];
  return {
    lines: lines.length === 0 ? [`${printable(user)} has no sessions`] : lines,
    json: { sessions, browser_sessions: browsers },
  };
}

async function kill(user: string, which: string, { api }: CommandContext): Promise<Shown> {
  if (which === "all") await api.ask("deleteOidcSessions", { path: { user_id: user } });
  else await api.ask("deleteOidcSession", { path: { user_id: user, token: which } });
  const what = which === "all" ? "every session" : `session ${printable(which)}`;
  return { lines: [`${what} of ${printable(user)} has been ended`], json: { killed: which } };
}

export const sessionsCommand: OperatorCommand = {
  usage: "sessions USER [--kill ID|all]",
  summary: "list or end the sessions of a user",
  help: [
    "Lists the browsers in which the user is signed in, and the sessions of the user at OpenID Connect clients. --kill ID ends",
    "one session of either list, --kill all ends all of them, including refresh tokens. Mail clients with a stored password",
    "have no session: change the password and run `postern flush USER`.",
  ],
  operands: { min: 1, max: 1 },
  options: ["kill"],
  run: (context) => {
    const [user = ""] = context.operands;
    return context.flags.kill === undefined ? list(user, context) : kill(user, context.flags.kill, context);
  },
};
