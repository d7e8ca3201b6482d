import type { Base } from "@postern/shared/assembly";
import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { Config } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import type { ClientUses } from "../applications/client-uses.ts";
import type { FlowStarter } from "../flow/flow-port.ts";
import { createSingleLogout, type SingleLogout } from "../login/single-logout.ts";
import { accountOfSession } from "../oidc/accounts/accounts.ts";
import { createOidcContext, type OidcContext } from "../oidc/context.ts";
import { deviceEnd } from "../oidc/device/device.ts";
import type { Pages } from "../pages/pages.ts";
import { createSamlContext, type SamlContext } from "../saml/context.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";
import type { PagesContext, ProtocolParts } from "./pages.ts";
import { createSessions } from "./sessions.ts";

/** OIDC, SAML and the logout of both. */
export interface Protocols {
  /** Undefined while `identity.oidc.enabled` is off. */
  readonly oidc: OidcContext | undefined;
  /** Undefined while `identity.saml.enabled` is off. */
  readonly saml: SamlContext | undefined;
  /** Undefined where no sessions are kept. */
  readonly singleLogout: SingleLogout | undefined;
}

export interface BuiltProtocols extends Protocols {
  readonly forPages: ProtocolParts;
  /** The protocols start flows on the pages, which are built after them. */
  readonly connectPages: (pages: PagesContext | undefined) => void;
}

interface PagesLink {
  starter: FlowStarter | undefined;
  pages: Pages | undefined;
}

function starterOf(link: PagesLink): FlowStarter {
  return {
    startOidc: async (request, response, flow) => {
      if (link.starter === undefined) throw new AppError("CONFIG_INVALID", { detail: "identity.frontend is disabled" });
      return link.starter.startOidc(request, response, flow);
    },
  };
}

function partsForPages({ oidc, saml, singleLogout }: Protocols): ProtocolParts {
  return {
    ends: {
      ...(oidc === undefined ? {} : { oidc: oidc.finish, device: deviceEnd }),
      ...(saml === undefined ? {} : { saml: saml.finish }),
    },
    onReplaced: async (session) => singleLogout?.ended(session),
    onSignedIn: async (session) => {
      const account = accountOfSession(session);
      if (account !== undefined) await oidc?.accounts.save(account);
    },
    applications: oidc?.applications,
    mailSignIns: oidc?.mailSignIns,
    demanders: [
      ...(oidc === undefined
        ? []
        : [
            async (id: string) => (await oidc.applications.list(id)).map(({ demands }) => demands),
            async (id: string) => ((await oidc.mailSignIns.list(id)).length > 0 ? [oidc.mailSignIns.demands()] : []),
          ]),
      ...(saml === undefined ? [] : [saml.demandsOn]),
    ],
  };
}

interface BuildParts {
  readonly base: Base;
  readonly state: RedisClient;
  /** The clock of Redis, for the times of what replicas share. */
  readonly sharedClock: Clock;
  readonly clientUses: Pick<ClientUses, "note">;
  readonly accountNames: FindAccountNames;
}

function buildProtocols(
  config: Config,
  { base, state, sharedClock, clientUses, accountNames }: BuildParts,
  link: PagesLink,
): Protocols {
  const sessions = createSessions(config, state, sharedClock);
  if (sessions === undefined) return { oidc: undefined, saml: undefined, singleLogout: undefined };
  const built: { saml: SamlContext | undefined } = { saml: undefined };
  const oidc = createOidcContext(config, {
    ...base,
    metricsPrefix: base.metricsPrefix,
    redis: state,
    sharedClock,
    sessions,
    starter: starterOf(link),
    pages: () => link.pages,
    clientUses,
    accountNames,
    onClosed: async (session) => built.saml?.logout.sessionEnded(session),
  });
  const onEnded = async (session: BrowserSessionRecord): Promise<void> => oidc?.endSessions.ended(session);
  built.saml = createSamlContext(config, { base, state, sharedClock, sessions, onEnded, clientUses });
  const singleLogout = createSingleLogout(sessions, oidc?.endSessions, built.saml?.logout);
  return { oidc, saml: built.saml, singleLogout };
}

export function createProtocols(config: Config, parts: BuildParts): BuiltProtocols {
  const link: PagesLink = { starter: undefined, pages: undefined };
  const protocols = buildProtocols(config, parts, link);
  return {
    ...protocols,
    forPages: partsForPages(protocols),
    connectPages: (pages) => {
      link.starter = pages?.login.starts;
      link.pages = pages?.login.pages;
    },
  };
}
