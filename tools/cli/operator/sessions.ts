import { readSessions } from "./answers.ts";
import type { CommandContext, OperatorCommand, Shown } from "./command.ts";
import { printable, table } from "./table.ts";

const head = ["SESSION", "CLIENT", "SINCE", "SECOND FACTOR", "SCOPES"];

async function list(user: string, { api }: CommandContext): Promise<Shown> {
  const { sessions } = readSessions(await api.ask("GET", `/api/v1/oidc/sessions/${encodeURIComponent(user)}`));
  const rows = sessions.map((session) => [
    session.id,
    session.client_id,
    session.auth_time,
    session.mfa_completed ? (session.mfa_method ?? "yes") : "no",
    session.scopes.join(" "),
  ]);
  const lines = rows.length === 0 ? [`${printable(user)} has no sessions`] : table(head, rows);
  return { lines, json: { sessions } };
}

async function kill(user: string, which: string, { api }: CommandContext): Promise<Shown> {
  const path = `/api/v1/oidc/sessions/${encodeURIComponent(user)}`;
  await api.ask("DELETE", which === "all" ? path : `${path}/${encodeURIComponent(which)}`);
  const what = which === "all" ? "every session" : `session ${printable(which)}`;
  return { lines: [`${what} of ${printable(user)} is over`], json: { killed: which } };
}

export const sessionsCommand: OperatorCommand = {
  usage: "sessions USER [--kill ID|all]",
  summary: "show a user's sessions at web applications, or end them",
  help: [
    "Lists what the user is signed in to over OpenID Connect. --kill ID ends one, --kill all every one of the user, refresh",
    "tokens included. Mail clients that keep a password are not sessions: change the password and `flush` the user.",
  ],
  operands: { least: 1, most: 1 },
  run: (context) => {
    const [user = ""] = context.operands;
    return context.flags.kill === undefined ? list(user, context) : kill(user, context.flags.kill, context);
  },
};
