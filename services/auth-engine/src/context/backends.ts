import type { Base } from "@postern/shared/assembly";
import type { Decoys } from "@postern/shared/domain/passwords";
import { steadyClock } from "@postern/shared/platform/time";
import type { Backend } from "../backends/backend.ts";
import { createLdapBackend } from "../backends/ldap/ldap-backend.ts";
import { createLuaBackend } from "../backends/lua/lua-backend.ts";
import { observedBackend } from "../backends/observed-backend.ts";
import { makeSqlBackend } from "../backends/sql/context.ts";
import type { EngineMetrics } from "../metrics.ts";
import type { BackendSettings, LiveEngineSettings } from "../settings.ts";
import { type LoginCostsOf, loginCostsMaker } from "./login-costs.ts";
import type { PasswordParts } from "./passwords.ts";
import type { EngineScripts } from "./scripts.ts";

export type MakeBackends = (settings: Pick<LiveEngineSettings, "backends" | "decoys">) => Promise<readonly Backend[]>;

interface BackendParts extends PasswordParts {
  readonly base: Base;
  readonly metrics: EngineMetrics;
  readonly scripts: EngineScripts;
}

interface Learned {
  readonly decoys: Decoys;
  readonly costsOf: LoginCostsOf;
}

async function makeBackend(
  of: BackendSettings,
  { decoys, costsOf }: Learned,
  { decoysOf: { digest: decoyDigest }, base, passwords, scripts, countUnverifiable }: BackendParts,
): Promise<Backend> {
  switch (of.kind) {
    case "ldap":
      return createLdapBackend(of.settings, {
        clock: steadyClock,
        log: base.logger,
        digest: decoyDigest,
        costsOf: (pool) => costsOf(of.settings.name, pool),
      });
    case "sql":
      return makeSqlBackend(of, { base, passwords, decoys, countUnverifiable });
    case "lua":
      return createLuaBackend(of.settings, scripts.decisions, passwords, decoys);
  }
}

export function backendMaker(parts: BackendParts): MakeBackends {
  const observe = ({ kind }: Backend, outcome: string, seconds: number): void =>
    parts.metrics.backendAnswered(kind, outcome, seconds);
  const { tracer } = parts.base;
  const costsOf = loginCostsMaker(parts.decoysOf.digest);
  return async ({ backends, decoys: samples }) => {
    const instances = await Promise.all(
      backends.map((one) =>
        makeBackend(one, { decoys: parts.decoysOf.of(one.settings.name, samples), costsOf }, parts),
      ),
    );
    return instances.map((backend) => observedBackend(backend, observe, tracer));
  };
}
