import { printable, table } from "../table.ts";
import { readRegisteredClients } from "./answers.ts";
import type { CommandContext, OperatorCommand, Shown } from "./operator-command.ts";

const head = ["CLIENT", "NAME", "REDIRECT", "NETWORK", "CREATED", "LAST USED"];
/** An operator reads this many; scripts use the HTTP interface. */
const maxShown = 1000;

async function list({ api }: CommandContext): Promise<Shown> {
  const clients = [];
  for (let position: number | undefined = 0; position !== undefined && position < maxShown; ) {
    const page: ReturnType<typeof readRegisteredClients> = readRegisteredClients(
      await api.ask("listRegisteredClients", { query: { position: String(position) } }),
    );
    clients.push(...page.clients);
    position = page.next;
  }
  const rows = clients.map((client) => [
    client.client_id,
    client.client_name,
    client.redirect_uris[0] ?? "",
    client.network,
    client.created,
    client.last_used ?? "never",
  ]);
  return { lines: rows.length === 0 ? ["no client has registered itself"] : table(head, rows), json: { clients } };
}

async function remove(clientId: string, { api }: CommandContext): Promise<Shown> {
  await api.ask("deleteRegisteredClient", { path: { client_id: clientId } });
  return { lines: [`${printable(clientId)} is deleted and its tokens are revoked`], json: { killed: clientId } };
}

export const clientsCommand: OperatorCommand = {
  usage: "clients [--kill ID]",
  summary: "list the clients that registered themselves, or delete one",
  help: [
    "Lists the clients that registered themselves, at most 1000; the next to expire is first. Nobody has verified their",
    "names. --kill ID deletes a client and revokes all its tokens: its users are signed out of it and it must register again.",
  ],
  operands: { min: 0, max: 0 },
  options: ["kill"],
  run: (context) => (context.flags.kill === undefined ? list(context) : remove(context.flags.kill, context)),
};
