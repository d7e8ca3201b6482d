import { parseCidr } from "@postern/shared/platform/net";
import type { MailServerAnswers } from "./answers.ts";
import type { Ask } from "./ask.ts";
import type { InitFlags } from "./flags.ts";
import { InitProblem } from "./init-problem.ts";

/** The caller for `postern` on this machine. */
export const operatorName = "operator";

const nameForm = /^[a-z0-9][a-z0-9._-]{0,63}$/u;

function mailServerOf(text: string): MailServerAnswers {
  const [name = "", ...rest] = text.split("=");
  if (!nameForm.test(name))
    throw new InitProblem(`mail server ${JSON.stringify(name)}: use lower-case letters, digits, dots and hyphens`);
  if (name === operatorName)
    throw new InitProblem(`mail server ${operatorName}: this name is for \`postern\` on this machine; use another one`);
  const networks = rest
    .join("=")
    .split(",")
    .filter((network) => network !== "");
  const unreadable = networks.find((network) => parseCidr(network) === undefined);
  if (unreadable !== undefined)
    throw new InitProblem(`mail server ${name}: ${JSON.stringify(unreadable)} is neither an address nor a network`);
  return { name, networks };
}

function refuseTwice(servers: readonly MailServerAnswers[]): void {
  const twice = servers.find(({ name }, index) => servers.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined) throw new InitProblem(`mail server ${twice.name} is given twice`);
}

/** @throws InitProblem */
export async function readMailServers(flags: InitFlags, ask: Ask): Promise<readonly MailServerAnswers[]> {
  const question = { text: "User names of the mail servers, separated by spaces", fallback: "mailserver" };
  const texts = flags["mail-server"] ?? ((await ask(question)) ?? question.fallback).split(/\s+/u);
  const servers = texts.map(mailServerOf);
  refuseTwice(servers);
  return servers;
}
