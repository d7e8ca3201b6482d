import { actionsNamed } from "@postern/shared/contracts";
import type { Config } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { type CidrSet, createCidrSet } from "@postern/shared/platform/net";
import { type BasicLookup, createBasicLookup, type OwnedCredentials } from "./basic.ts";

/** A configured caller that authenticates with Basic. */
export interface BasicCaller {
  readonly name: string;
  /** Absent: the credentials are accepted from everywhere. */
  readonly networks?: CidrSet;
  /** Absent: the caller is administrative. */
  readonly actions?: ReadonlySet<string>;
}

type BackchannelConfig = Pick<Config["auth"]["backchannel"], "basic_auth" | "callers">;
type CallerConfig = BackchannelConfig["callers"][number];

function callerOf({ name, networks, operations }: CallerConfig): BasicCaller {
  return {
    name,
    ...(networks.length > 0 && { networks: createCidrSet(networks) }),
    ...(operations.length > 0 && { actions: actionsNamed(operations) }),
  };
}

function credentialsOf(config: CallerConfig): readonly OwnedCredentials<BasicCaller>[] {
  const owner = callerOf(config);
  return [config.password, config.next_password]
    .filter((password) => password !== "")
    .map((password) => ({ username: config.name, password: new Secret(password), owner }));
}

/** All callers by their credentials; undefined if none is configured. */
export function basicCallers({ basic_auth: pair, callers }: BackchannelConfig): BasicLookup<BasicCaller> | undefined {
  const { enabled, username, password } = pair;
  if (!enabled && callers.length === 0) return undefined;
  const single = enabled ? [{ username, password: new Secret(password), owner: { name: username } }] : [];
  return createBasicLookup([...single, ...callers.flatMap(credentialsOf)]);
}

export function basicCallerNames({ basic_auth: pair, callers }: BackchannelConfig): readonly string[] {
  return [...(pair.enabled ? [pair.username] : []), ...callers.map(({ name }) => name)];
}

/** Whether a caller may do this; `action` is undefined for a request that no operation serves. */
export function mayDo({ actions }: BasicCaller, action: string | undefined): boolean {
  return actions === undefined || (action !== undefined && actions.has(action));
}
