import { readBruteForceFlush, readBruteForceFlushAsync, readCacheFlush, readCacheFlushAsync } from "./answers.ts";
import type { CommandContext, OperatorCommand, Shown } from "./command.ts";
import { followJob } from "./follow-job.ts";
import { printable } from "./table.ts";

function removed(keys: readonly string[], status: string): Shown {
  return {
    lines: [printable(status), ...keys.map((key) => `  ${printable(key)}`)],
    json: { removed_keys: keys, status },
  };
}

async function flushUser(context: CommandContext): Promise<Shown> {
  const [user = ""] = context.operands;
  if (context.flags.async) {
    const { result } = readCacheFlushAsync(await context.api.ask("DELETE", "/api/v1/cache/flush/async", { user }));
    return followJob(result.jobId, context);
  }
  const { result } = readCacheFlush(await context.api.ask("DELETE", "/api/v1/cache/flush", { user }));
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
  const path = "/api/v1/bruteforce/flush";
  if (isAsync) {
    const { result } = readBruteForceFlushAsync(await context.api.ask("DELETE", `${path}/async`, body));
    return followJob(result.jobId, context);
  }
  const { result } = readBruteForceFlush(await context.api.ask("DELETE", path, body));
  return removed(result.removed_keys, result.status);
}

export const flushCommand: OperatorCommand = {
  usage: "flush USER [--async]",
  summary: "forget what is cached of a user, and let the user's addresses in again",
  help: [
    "Every engine forgets the user's cached logins, in memory and in Redis, so that a changed password or a closed account",
    "counts at once. Bans of the addresses from which the account was guessed go too. An unknown user is no error: nothing",
    "is removed. With --async a worker does it, and this command follows the job until it is over; Ctrl-C leaves it running.",
  ],
  operands: { least: 1, most: 1 },
  run: flushUser,
};

export const unbanCommand: OperatorCommand = {
  usage: "unban ADDRESS [--rule NAME] [--protocol NAME] [--client OIDC_CLIENT] [--async]",
  summary: "let an address or a network in again",
  help: [
    "Removes the bans and the counts of an address. Without --rule those of every rule; --protocol and --client narrow it to",
    "rules that are restricted to them. `why ADDRESS` shows what holds before and after.",
  ],
  operands: { least: 1, most: 1 },
  run: unban,
};
