import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import type { LuaValue } from "../lua-value.ts";
import type { HostCallContext } from "../messages.ts";
import { type HostFunctions, type LuaModules, textArgument } from "./host.ts";

const missing: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA"]);

async function ask<Answer>(
  { signal }: HostCallContext,
  { resolvers, timeout }: LuaModules["dns"],
  query: (resolver: Resolver) => Promise<Answer>,
): Promise<Answer | undefined> {
  const resolver = new Resolver({ timeout, tries: 1 });
  // Otherwise the system's servers.
  if (resolvers.length > 0) resolver.setServers(resolvers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await query(resolver);
  } catch (error) {
    if (error instanceof Error && "code" in error && missing.has(error.code)) return undefined;
    throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function lookup(resolver: Resolver, name: string, type: string): Promise<LuaValue> {
  switch (type) {
    case "A":
      return resolver.resolve4(name);
    case "AAAA":
      return resolver.resolve6(name);
    case "TXT":
      return resolver.resolveTxt(name).then((records) => records.map((parts) => parts.join("")));
    case "MX":
      return resolver.resolveMx(name).then((all) => all.map(({ exchange, priority }) => ({ exchange, priority })));
    default:
      throw new TypeError("type must be A, AAAA, TXT or MX");
  }
}

/** `dns`: a name without such a record is nil; a server that does not answer is an error. */
export function dnsModule(settings: LuaModules["dns"]): HostFunctions {
  return {
    "dns.lookup": ([name, type], context) =>
      ask(context, settings, (resolver) =>
        lookup(
          resolver,
          textArgument(name, "name"),
          type === undefined ? "A" : textArgument(type, "type").toUpperCase(),
        ),
      ),
    "dns.reverse": async ([address], context) => {
      const text = textArgument(address, "address");
      if (isIP(text) === 0) throw new TypeError("address must be an IP address");
      return ask(context, settings, (resolver) => resolver.reverse(text));
    },
  };
}
