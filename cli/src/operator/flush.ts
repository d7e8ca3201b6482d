import { printable } from "../table.ts";
import {
  readBruteForceFlush,
  readBruteForceFlushAsync,
  readCacheFlush,
  readCacheFlushAsync,
  readDomainFlush,
} from "./answers.ts";
import { UsageError } from "./connection.ts";
import { followJob } from "./follow-job.ts";
import type { CommandContext, OperatorCommand, Shown } from "./operator-command.ts";

function removed(keys: readonly string[], status: string): Shown {
  return {
    lines: [printable(status), ...keys.map((key) => `  ${printable(key)}`)],
    json: { removed_keys: keys, status },
  };
}

async function flushDomain({ api }: CommandContext, domain: string): Promise<Shown> {
  const { result } = readDomainFlush(await api.ask("flushDomain", { body: { domain } }));
  return { lines: [printable(result.status)], json: result };
}

async function flushUser(context: CommandContext): Promise<Shown> {
  const [user] = context.operands;
  const { domain } = context.flags;
  if (domain !== undefined && (user !== undefined || context.flags.async))
    throw new UsageError("--domain takes the place of USER, and is done at once");
  if (domain !== undefined) return flushDomain(context, domain);
  if (user === undefined) throw new UsageError("flush needs USER or --domain NAME");
  if (context.flags.async) {
    const { result } = readCacheFlushAsync(await context.api.ask("enqueueUserCacheFlush", { body: { user } }));
    return followJob(result.jobId, context);
  }
  const { result } = readCacheFlush(await context.api.ask("flushUserCache", { body: { user } }));
  return removed(result.removed_keys, result.status);
}

async function unban(context: CommandContext): Promise<Shown> {
  const [address = ""] = context.operands;
  const { rule = "*", protocol, client, async: isAsync } = context.flags;
  const body = {
    ip_address: address,
    rule_name: rule,
    ...(protocol !== undefined && { protocol }),
    ...(client !== undefined && { oidc_cid: client }),
  };
  if (isAsync) {
    const { result } = readBruteForceFlushAsync(await context.api.ask("enqueueBruteForceRuleFlush", { body }));
    return followJob(result.jobId, context);
  }
  const { result } = readBruteForceFlush(await context.api.ask("flushBruteForceRule", { body }));
  if (result.removed_keys.length > 0) return removed(result.removed_keys, result.status);
  const by = rule === "*" && protocol === undefined && client === undefined ? "" : " by the selected rules";
  return { ...removed([], `${address} was not banned${by}: nothing was removed`), json: result };
}

export const flushCommand: OperatorCommand = {
  usage: "flush USER [--async] | flush --domain NAME",
  summary:
    "remove the cached results of a user, and the bans of addresses that tried passwords for the account; or a domain's record",
  help: [
    "Removes the cached results of the user from all engines and from Redis, so that a changed password or a disabled",
    "account takes effect immediately. Also removes the bans of addresses that sent wrong passwords for it, and ends",
    "the account delay. An unknown user is not an error. With --async, a background job does the work and this command",
    "waits for its end; Ctrl-C stops the waiting, not the job. With --domain, all services read the record of the domain",
    "again from auth.domains.source, and users keep their results.",
  ],
  operands: { min: 0, max: 1 },
  options: ["async", "domain"],
  run: flushUser,
};

export const unbanCommand: OperatorCommand = {
  usage: "unban ADDRESS [--rule NAME] [--protocol NAME] [--client OIDC_CLIENT] [--async]",
  summary: "remove the ban of an address or network",
  help: [
    "Removes the bans and failure counts of an address, by default those of all rules. --rule selects a rule; --protocol and",
    "--client select the rules that are limited to that protocol or OIDC client. An address without a ban is not an error.",
    "Use `postern why ADDRESS` to see the bans before and after.",
  ],
  operands: { min: 1, max: 1 },
  options: ["rule", "protocol", "client", "async"],
  run: unban,
};
